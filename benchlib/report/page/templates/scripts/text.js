// ---- text: the bytes of a packed block, written in base 85 as benchlib/report/page/packing.py writes them ----

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%,.)*+-;:=[?]^_`{|}~";

const bytesOfText = (text) => {
  const digits = new Uint8Array(128).fill(DIGITS.length - 1);
  for (let at = 0; at < DIGITS.length; at++) digits[DIGITS.charCodeAt(at)] = at;
  const words = Math.ceil(text.length / 5);
  const bytes = new DataView(new ArrayBuffer(4 * words));
  for (let at = 0; at < words; at++) {
    let word = 0;
    // Beyond its end a text has the last digit, and the bytes that come of it are cut off.
    for (let place = 5 * at; place < 5 * at + 5; place++) word = 85 * word + (place < text.length ? digits[text.charCodeAt(place)] : 84);
    bytes.setUint32(4 * at, word);
  }
  return new Uint8Array(bytes.buffer, 0, 4 * words - (5 * words - text.length));
};
