"""A TOML file: read and parsed within bounds, each key on its line, its tables as Structs.

The standard parser gives values without positions, and an error about a key is worth little without its line.
`locate_keys` scans text that the parser has accepted: it only tells keys, strings, brackets and line ends apart.

msgspec converts values strictly and names the path of the first that does not fit. `convert` tells it in one line, with
file, line, key and what is accepted: by the type of the field, or by ``description`` and ``examples`` of its `Meta`.
"""

from __future__ import annotations

import re
import tomllib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path, PurePosixPath
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

import msgspec

from benchlib.errors import BenchlibError, StudyError, choices, printable, suggestion
from benchlib.files import read_bounded
from benchlib.results import condition

T = TypeVar("T")

#: ``("compare", 0, "column")`` is the key ``column`` of the first ``[[compare]]``.
KeyPath = tuple[str | int, ...]

#: Bytes beyond which a file is refused: a person writes a few kilobytes.
LARGEST = 1 << 20
#: Parts of a dotted key, and brackets within brackets. No table of a study nests half as deep, and the time and
#: memory of the parser grow with the square of the depth.
_DEEPEST_KEY, _DEEPEST_BRACKET = 8, 16
#: Keys, values, brackets and commas: a long study takes two thousand.
_MOST_TOKENS = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Parsed TOML: the file to name, what it says, and the line of each key."""

    source: str
    values: Mapping[str, Any]
    lines: Mapping[KeyPath, int]

    def error(self, path: KeyPath, message: str) -> StudyError:
        """Return an error with the line of a key, or of the table that would hold it."""
        while path and path not in self.lines:
            path = path[:-1]
        place = f"{self.source}:{self.lines[path]}" if path else self.source
        return StudyError(f"{place}: {message}")


def read_text(path: Path, shown: str) -> tuple[str, bytes]:
    """Return a TOML file as text and as bytes; `shown` is how messages name it."""
    try:
        raw = read_bounded(path, LARGEST)
    except FileNotFoundError as error:
        raise StudyError(f"{shown}: no such file; check the path") from error
    except OSError as error:
        raise StudyError(f"{shown}: cannot be read ({error.strerror}); mend its type or permissions") from error
    if len(raw) > LARGEST:
        raise StudyError(f"{shown}: larger than 1 MiB; keep results in files of their own")
    try:
        return raw.decode("utf-8-sig"), raw
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise StudyError(f"{shown}:{line}: not UTF-8 text; save the file as UTF-8") from error


_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


def parse_toml(text: str, shown: str) -> Document:
    """Parse a TOML text; what is too deep or too much is refused before it is parsed."""
    _check_bounds(text, shown)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line = place[1] if place and place[1] else text.rstrip("\n").count("\n") + 1
        column = f" at column {place[2]}" if place and place[2] else ""
        reason = printable(_PLACE.sub("", str(error)))
        raise StudyError(f"{shown}:{line}: not valid TOML{column}: {reason}") from error
    except ValueError as error:
        # A number or date that Python cannot hold carries no position.
        raise StudyError(f"{shown}: not valid TOML: {printable(str(error))}") from error
    return Document(source=shown, values=values, lines=locate_keys(text))


def _check_bounds(text: str, shown: str) -> None:
    """Refuse keys and brackets that nest too deep for the parser, and more of them than anyone writes."""
    parts, brackets, after_dot = 0, 0, False
    for number, (kind, token, line) in enumerate(_tokens(text)):
        if kind in ("bare", "string"):
            parts = parts + 1 if after_dot else 1
        after_dot = kind == "dot"
        brackets += (token in ("[", "{")) - (token in ("]", "}"))
        if parts > _DEEPEST_KEY:
            raise StudyError(f"{shown}:{line}: a key of more than {_DEEPEST_KEY} parts; four are enough")
        if brackets > _DEEPEST_BRACKET:
            raise StudyError(f"{shown}:{line}: brackets nest too deep; four levels are enough")
        if number > _MOST_TOKENS:
            raise StudyError(f"{shown}:{line}: more than {_MOST_TOKENS:,} keys and values; keep results in other files")


_TOKEN = re.compile(
    r'''
      (?P<string>"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*"""+ | \'\'\'[^']*+(?:'(?!\'\')[^']*+)*\'\'\'+
        | "[^"\\\n]*+(?:\\.[^"\\\n]*+)*" | '[^'\n]*+')
    | (?P<open>["'])
    | (?P<comment>\#[^\n]*)
    | (?P<newline>\n)
    | (?P<mark>[][{}=,])
    | (?P<dot>\.)
    | (?P<bare>[^\s\[\]{}=,.\#"']++)
    | (?P<space>[^\S\n]+)
    ''',
    re.VERBOSE | re.DOTALL,
)


def locate_keys(text: str) -> dict[KeyPath, int]:
    """Return the line of every table, key and list item of a TOML text that `tomllib.loads` accepts."""
    tokens = deque(token for token in _tokens(text) if token.kind != "dot")
    lines: dict[KeyPath, int] = {}
    table: KeyPath = ()
    last: dict[KeyPath, int] = {}
    while tokens:
        if tokens[0].text == "[":
            table = _take_header(tokens, lines, last)
        elif tokens[0].kind == "newline":
            tokens.popleft()
        else:
            _take_pair(tokens, table, lines)
    return lines


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


def _tokens(text: str) -> Iterator[_Token]:
    """Yield each token, up to a string that is never closed."""
    line = 1
    for match in _TOKEN.finditer(text.replace("\r\n", "\n")):
        kind = match.lastgroup or ""
        if kind == "open":
            return
        if kind not in ("space", "comment"):
            yield _Token(kind, match[0], line)
        line += match[0].count("\n")


def _take_header(tokens: deque[_Token], lines: dict[KeyPath, int], last: dict[KeyPath, int]) -> KeyPath:
    """Take ``[a.b]`` or ``[[a.b]]``; `last` holds the last position in each array of tables."""
    brackets, line = 0, tokens[0].line
    while tokens[0].text == "[":
        tokens.popleft()
        brackets += 1
    keys = _take_keys(tokens)
    while tokens and tokens[0].text == "]":
        tokens.popleft()
    path: KeyPath = ()
    for number, key in enumerate(keys, 1):
        path += (key,)
        lines.setdefault(path, line)
        if number == len(keys) and brackets == 2:
            last[path] = last.get(path, -1) + 1
        if path in last:
            path += (last[path],)
    lines.setdefault(path, line)
    return path


def _take_pair(tokens: deque[_Token], path: KeyPath, lines: dict[KeyPath, int]) -> None:
    """Take a key and its value, below a path."""
    line = tokens[0].line
    for key in _take_keys(tokens):
        path += (key,)
        lines.setdefault(path, line)
    tokens.popleft()  # the equals sign
    _take_value(tokens, path, lines)


def _take_value(tokens: deque[_Token], path: KeyPath, lines: dict[KeyPath, int]) -> None:
    """Take a value; it nests no deeper than `_check_bounds` allows."""
    opening = tokens.popleft().text
    if opening not in ("[", "{"):
        while tokens and tokens[0].kind in ("bare", "string"):  # 1.5, or a date and a time
            tokens.popleft()
        return
    position = 0
    while tokens[0].text not in ("]", "}"):
        token = tokens[0]
        if token.kind == "newline" or token.text == ",":
            tokens.popleft()
            position += token.text == ","
        elif opening == "{":
            _take_pair(tokens, path, lines)
        else:
            lines.setdefault((*path, position), token.line)
            _take_value(tokens, (*path, position), lines)
    tokens.popleft()


def _take_keys(tokens: deque[_Token]) -> list[str]:
    """Take the parts of a key, without quotes and with escapes read."""
    keys = []
    while tokens and tokens[0].kind in ("bare", "string"):
        text = tokens.popleft().text
        keys.append(str(tomllib.loads(f"key = {text}")["key"]) if text[0] in "\"'" else text)
    return keys


# --- tables as Structs ------------------------------------------------------------------------------------------------

#: No bound or level that a person writes comes near; NaN and infinity are beyond it too.
HUGE = 10**15
#: A level of an axis.
Level = str | Annotated[int, msgspec.Meta(ge=-HUGE, le=HUGE)] | Annotated[float, msgspec.Meta(ge=-HUGE, le=HUGE)]


class Mistake(ValueError):
    """A value of the right type that cannot be meant; raised in ``__post_init__`` of a Struct.

    `keys` lead from that Struct to the value; without any the Struct itself is meant. `message` follows the name of
    the last key: ``" is missing"``, ``": 'x' is no path"``.
    """

    def __init__(self, message: str, *keys: str | int) -> None:
        super().__init__(message)
        self.keys = keys


class TomlTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file; its lists of texts hold no text twice, and its conditions can be split into terms."""

    def __post_init__(self) -> None:
        for field in msgspec.structs.fields(type(self)):
            value = getattr(self, field.name)
            if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
                check_texts(value, field.encode_name)
            if field.name in ("where", "mean"):
                check_condition(value, field.encode_name)


def required(example: str) -> msgspec.Meta:
    """Return the mark of a text that has to be there and cannot be empty, such as `example`."""
    return msgspec.Meta(pattern=r"\S", examples=[example])


@contextmanager
def mistaken(*keys: str | int) -> Iterator[None]:
    """Turn an error about the words of a key into a `Mistake` of that key."""
    try:
        yield
    except BenchlibError as error:
        raise Mistake(f": {error}", *keys) from error


def check_texts(texts: Sequence[str], key: str) -> None:
    """Refuse a list that holds an empty text, or one twice."""
    seen: set[str] = set()
    for number, text in enumerate(texts):
        if not text.strip():
            raise Mistake(" holds an empty text; remove it", key, number)
        if text in seen:
            raise Mistake(f" names '{printable(text, 60)}' twice; remove one", key, number)
        seen.add(text)


def check_condition(text: str, *keys: str | int) -> None:
    """Refuse a condition that cannot be split into terms."""
    with mistaken(*keys):
        condition(text)


def check_inside(pattern: str, *keys: str | int) -> None:
    """Refuse a file or a pattern of files that leaves the study folder."""
    if pattern.startswith(("/", "\\", "~")) or ".." in PurePosixPath(pattern.replace("\\", "/")).parts:
        raise Mistake(
            f": '{printable(pattern, 60)}' leaves the study folder; write it relative to study.toml, without '..'",
            *keys,
        )


# --- what is wrong where TOML does not fit them -----------------------------------------------------------------------


def convert(document: Document, kind: type[T]) -> T:
    """Return the Struct that a document holds; the first value that does not fit is told in one line."""
    try:
        return msgspec.convert(document.values, kind)
    except msgspec.ValidationError as error:
        cause, message = error.__cause__, str(error)
        if isinstance(cause, Mistake):
            path, *_ = _locate(message[len(str(cause)) :], document.values, kind)
            if not cause.keys:
                raise document.error(path, f"{_header(path)}{cause}") from error
            raise _mistake(document, (*path, *cause.keys), str(cause)) from error
        path, hint, value = _locate(message, document.values, kind)
        if _fits(value, hint):  # an unknown key that reads like a path of msgspec
            path, hint, value = (), kind, document.values
        raise _misfit(document, path, hint, value) from error


_PATH = re.compile(r" - at `\$([^`]*)`$")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[(\.\.\.)\]")


def _locate(message: str, value: Any, hint: Any) -> tuple[KeyPath, Any, Any]:
    """Follow the path that ends a message of msgspec, such as ``$.compare[0].column``.

    Returns the path in keys and positions, the type that is asked for there, and the value that stands there.
    """
    path: KeyPath = ()
    match = _PATH.search(message)
    for name, position, _ in _STEP.findall(match[1]) if match else ():
        members = _members(hint, value)
        key: str | int | None = None
        if name:
            fields = [field for kind in members if _is_struct(kind) for field in msgspec.structs.fields(kind)]
            hint_there = next((field.type for field in fields if field.encode_name == name), None)
            key = name if hint_there is not None and isinstance(value, dict) and name in value else None
        elif position:
            hint_there = next((get_args(kind)[0] for kind in members if get_origin(kind) is tuple), Any)
            key = int(position) if isinstance(value, list) and int(position) < len(value) else None
        else:  # msgspec does not name the key of a mapping
            hint_there = next((get_args(kind)[1] for kind in members if get_origin(kind) is dict), Any)
            key = next((name for name, item in value.items() if not _fits(item, hint_there)), None)
        if key is None:  # such as the tag of a table, which is no field
            break
        path, value, hint = (*path, key), value[key], hint_there
    return path, hint, value


def _fits(value: Any, hint: Any) -> bool:
    try:
        msgspec.convert(value, hint)
    except msgspec.ValidationError:
        return False
    return True


def _members(hint: Any, value: Any = None) -> list[Any]:
    """Return the types that a hint allows; of Structs told apart by a tag, the one that the value names."""
    if get_origin(hint) is Annotated:
        return _members(get_args(hint)[0], value)
    if get_origin(hint) not in (Union, UnionType):
        return [hint]
    members = [kind for member in get_args(hint) for kind in _members(member)]
    if isinstance(value, dict):
        tagged = [kind for kind in members if _is_struct(kind) and value.get(_tag_field(kind)) == _tag(kind)]
        return tagged or members
    return members


def _is_struct(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, msgspec.Struct)


def _tag_field(kind: Any) -> str:
    return kind.__struct_config__.tag_field or ""


def _tag(kind: Any) -> str:
    return kind.__struct_config__.tag or ""


def _misfit(document: Document, path: KeyPath, hint: Any, value: Any) -> StudyError:
    """Say what is wrong with a value that is not of the type asked for."""
    structs = [kind for kind in _members(hint, value) if _is_struct(kind)]
    if structs and isinstance(value, dict):
        return _wrong_keys(document, path, structs, value)
    words = (word for kind in _flat(hint) if get_origin(kind) is Literal for word in get_args(kind))
    literals = list(dict.fromkeys(words))
    if literals and isinstance(value, str):
        return _unknown_word(document, path, literals, value)
    meta = _meta(hint)
    if isinstance(value, str) and not value.strip() and meta and meta.pattern:
        return _mistake(document, path, f" is empty; write {path[-1]} = {_example(meta)}")
    if path and isinstance(path[-1], int) and hint is str:
        return _mistake(document, path, f" must hold texts only, found {describe_value(value)}")
    return _mistake(document, path, f" must be {_expected(hint, path, literals)}, found {describe_value(value)}")


def _wrong_keys(document: Document, path: KeyPath, structs: list[Any], value: dict[str, Any]) -> StudyError:
    """Say which key is unknown or missing."""
    tag_field = _tag_field(structs[0])
    if len(structs) > 1:  # the tag says none of them
        tags = [_tag(kind) for kind in structs]
        if isinstance(value.get(tag_field), str):
            return _unknown_word(document, (*path, tag_field), tags, value[tag_field])
        if tag_field in value:
            shown = describe_value(value[tag_field])
            return _mistake(document, (*path, tag_field), f" must be one of {choices(tags)}, found {shown}")
        keys = dict.fromkeys(field.encode_name for kind in structs for field in msgspec.structs.fields(kind))
        for key in value:
            if key not in keys and suggestion(key, [tag_field]):
                return _unknown_key(document, path, key, [tag_field, *keys], _in_table(path))
        return _mistake(document, (*path, tag_field), f" is missing; write one of {choices(tags)}")
    fields = msgspec.structs.fields(structs[0])
    known = [*[tag_field] * bool(tag_field), *(field.encode_name for field in fields)]
    for key in value:
        if key not in known:
            table = _in_table(path) + (f' with {tag_field} = "{_tag(structs[0])}"' if tag_field else "")
            return _unknown_key(document, path, key, known, table)
    missing = next(field for field in fields if field.required and field.encode_name not in value)
    example, key = _example(_meta(missing.type)), missing.encode_name
    return _mistake(document, (*path, key), f" is missing; write {key} = {example}")


def _unknown_key(document: Document, path: KeyPath, key: str, known: list[str], table: str) -> StudyError:
    return document.error((*path, key), f"unknown key '{printable(key, 60)}' {table}{_accepted(key, known, 40)}")


def _unknown_word(document: Document, path: KeyPath, known: list[str], word: str) -> StudyError:
    return _mistake(document, path, f" cannot be '{printable(word, 60)}'{_accepted(word, known, 12)}")


def _accepted(word: str, known: list[str], most: int) -> str:
    """Say what was meant, if a word is a slip, and what is accepted."""
    near = suggestion(word, known)
    return f"{near}{' Accepted' if near else '; accepted'}: {choices(known, most)}"


def _flat(hint: Any) -> list[Any]:
    """Return the types that a hint allows, those of the items of lists among them."""
    members = _members(hint)
    return [*members, *(item for kind in members if get_origin(kind) is tuple for item in _members(get_args(kind)[0]))]


def _meta(hint: Any) -> msgspec.Meta | None:
    if get_origin(hint) in (Union, UnionType):
        return next((meta for kind in get_args(hint) if (meta := _meta(kind))), None)
    return next((mark for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, msgspec.Meta)), None)


def _example(meta: msgspec.Meta | None) -> str:
    example = meta.examples[0] if meta and meta.examples else "..."
    return f'"{example}"' if isinstance(example, str) else str(example).replace("'", '"')


_WORDS: dict[Any, str] = {str: "text", bool: "true or false", float: "a number", int: "a whole number"}


def _expected(hint: Any, path: KeyPath, literals: list[str]) -> str:
    """Say what is accepted: in the words of the field, else by its type."""
    meta = _meta(hint)
    if meta and meta.description:
        return meta.description
    if literals:
        return f"one of {choices(literals)}"
    header = ".".join(key for key in path if isinstance(key, str))
    for member in _members(hint):
        if get_origin(member) is tuple and any(map(_is_struct, _flat(member))):
            return f"a list of tables; start each with [[{header}]]"
        if get_origin(member) is tuple:
            return 'a list of texts, e.g. ["a", "b"]'
        if _is_struct(member) or get_origin(member) is dict:
            item = isinstance(path[-1], int)
            return f"a table; start it with {f'[[{header}]]' if item else f'[{header}]'}"
    return next((_WORDS[kind] for kind in _members(hint) if kind in _WORDS), "another value")


def _mistake(document: Document, path: KeyPath, message: str) -> StudyError:
    """Return an error whose message follows the name of a key."""
    return document.error(path, f"{_key_in_table(path)}{message}")


def _in_table(path: KeyPath) -> str:
    """Return the table as a message names it: ``in [scaling]``."""
    return f"in {_header(path)}" if path else "at the top level"


def _header(path: KeyPath) -> str:
    name = ".".join(printable(key, 40) for key in path if isinstance(key, str))
    return f"[[{name}]]" if path and isinstance(path[-1], int) else f"[{name}]"


def _key_in_table(path: KeyPath) -> str:
    """Return a key as a message names it: ``'by' in [scaling]``, also of an item of its list."""
    while isinstance(path[-1], int):
        path = path[:-1]
    return f"'{printable(str(path[-1]), 60)}' {_in_table(path[:-1])}"


def describe_value(value: object) -> str:
    """Say what a value is, quoted where it is short enough to quote."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text '{printable(value, 60)}'"
    if isinstance(value, int):
        return f"the whole number {value}" if abs(value) < 10**30 else "a huge whole number"
    if isinstance(value, float):
        return f"the number {value}"
    if isinstance(value, date | time):
        return f"the {'date' if isinstance(value, date) else 'time'} {value}"
    return "a list" if isinstance(value, list) else "a table"
