"""HdrHistogram's compressed form, decoded: base64, zlib, and counts as ZigZag LEB128 numbers.

References
----------
HdrHistogram, "Histogram internal V2 encoding", class ``EncodableHistogram`` and
``AbstractHistogram.decodeFromByteBuffer`` of the Java implementation.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
import zlib
from collections.abc import Iterator

from benchlib.errors import DataError

__all__ = ["decode_histogram"]

_COMPRESSED, _PLAIN = 0x1C849304, 0x1C849303
#: The low byte of a cookie holds the word size.
_COOKIE = 0xFFFFFF0F
_HEADER = struct.Struct(">iiiiqqd")
#: Counts are small numbers in a small table: far beyond that it is no histogram.
_LARGEST = 4 * 1024**2
_RATIO_FREE, _LARGEST_RATIO = 64 * 1024, 200


def decode_histogram(text: str) -> dict[int, int]:
    """Return the counts of a histogram: highest equivalent value to count, ascending.

    Raises
    ------
    DataError
        If it is damaged, too large, or of an encoding before V2.
    """
    payload = _payload(text)
    cookie, length, offset, digits, lowest, highest, _ = _HEADER.unpack_from(payload)
    if cookie & _COOKIE != _PLAIN:
        raise DataError("is encoded in a form before V2; write it with a current HdrHistogram")
    if not (0 <= digits <= 5 and 1 <= lowest <= highest and 0 <= length <= len(payload) - _HEADER.size and not offset):
        raise DataError("has a damaged header; write it again")
    return _values(payload[_HEADER.size : _HEADER.size + length], digits, lowest)


def _payload(text: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
        if len(raw) < 8:
            raise DataError("is cut; write it again")
        cookie, length = struct.unpack_from(">ii", raw)
        if cookie & _COOKIE != _COMPRESSED or length != len(raw) - 8:
            raise DataError("is cut, or encoded in a form before V2; write it again")
        unzip = zlib.decompressobj()
        payload = unzip.decompress(raw[8:], min(_LARGEST, max(_RATIO_FREE, _LARGEST_RATIO * len(raw))))
    except (binascii.Error, zlib.error, ValueError) as error:
        raise DataError(f"is damaged ({error}); write it again") from error
    if not unzip.eof or len(payload) < _HEADER.size:
        raise DataError("is cut or too large; write it again")
    return payload


def _values(packed: bytes, digits: int, lowest: int) -> dict[int, int]:
    # The layout of the buckets, from the precision: names as in the reference implementation.
    unit_magnitude = int(math.log2(lowest))
    half_magnitude = math.ceil(math.log2(2 * 10**digits)) - 1
    half_count = 1 << half_magnitude
    found: dict[int, int] = {}
    index = 0
    for number in _numbers(packed):
        if number < 0:
            index -= number
            continue
        if number:
            bucket = (index >> half_magnitude) - 1
            within = (index & (half_count - 1)) + half_count
            if bucket < 0:
                bucket, within = 0, within - half_count
            if bucket + unit_magnitude > 62:
                raise DataError("counts a value beyond 64 bits; write it again")
            step = bucket + unit_magnitude
            found[((within + 1) << step) - 1] = number
        index += 1
    return found


def _numbers(packed: bytes) -> Iterator[int]:
    """Read ZigZag LEB128 numbers of at most nine bytes; the ninth holds eight bits."""
    value = shift = 0
    for byte in packed:
        if shift == 56:
            value |= byte << shift
        else:
            value |= (byte & 0x7F) << shift
            if byte & 0x80:
                shift += 7
                continue
        yield (value >> 1) ^ -(value & 1)
        value = shift = 0
    if shift:
        raise DataError("ends within a number; write it again")
