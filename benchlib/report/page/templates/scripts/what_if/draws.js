// ---- draws: the very curves of the plan, one after the other, a number for each concurrency ----

// What the draws of one law foretell of a place; see benchlib.report.page.draw_packing.
const foretold = (codes, from, bases, [weights, [low, high, least, most]]) => {
  let total = weights[0];
  for (let at = 0; at < bases.length; at += 1) total += weights[at + 1] * codes[from + bases[at]];
  const beside = codes[from + bases[0]];
  return Math.min(Math.max(Math.min(Math.max(Math.floor(total + 0.5), beside + low), beside + high), least), most);
};

// Bytes hold what is left: place by place and draw by draw, the low bytes of all, then the high ones.
const decode = (bytes, steps, { draws, laws, step, concurrency }, reference) => {
  const places = concurrency.length;
  const codes = new Int16Array(draws * places);
  steps.forEach(([place, bases, byLaw], order) => {
    let draw = 0;
    let before = 0;
    laws.forEach((count, law) => {
      for (const end = draw + count; draw < end; draw += 1) {
        const at = order * draws + draw;
        const folded = bytes[at] | (bytes[draws * places + at] << 8);
        const left = (folded >> 1) ^ -(folded & 1);
        const from = draw * places;
        codes[from + place] = left + (bases.length ? foretold(codes, from, bases, byLaw[law]) : before);
        if (!bases.length) before = codes[from + place];
      }
    });
  });
  return Float64Array.from(codes, (code) => reference * Math.exp(code * step));
};

// The largest so far, from the smallest concurrency on.
const rising = (values, places) => {
  const found = Float64Array.from(values);
  for (let at = 0; at < found.length; at += 1) {
    if (at % places && found[at] < found[at - 1]) found[at] = found[at - 1];
  }
  return found;
};

const logs = (values) => values.map(Math.log);

// A load of the block, with all that no setting changes.
const readLoad = (told, bytes) => {
  const { draws, concurrency, reference, limited, seconds, steps } = told;
  const places = concurrency.length;
  const throughput = decode(bytes, steps[0], told, reference);
  const climb = rising(throughput, places);
  const waits = limited
    ? decode(bytes.subarray(2 * draws * places), steps[1], told, limited.reference)
    : climb.map((one, at) => (concurrency[at % places] / one) * seconds);
  return {
    ...told,
    places,
    throughput,
    climb,
    waits,
    upTo: limited ? limited.up_to : concurrency.at(-1),
    logPlaces: concurrency.map(Math.log),
    logClimb: logs(climb),
    logWaits: logs(waits),
    kept: new Map(),
  };
};

const bytesOf = (told) => 2 * told.draws * told.concurrency.length * (told.limited ? 2 : 1);

const readLoads = async (packed) => {
  const stream = new Blob([bytesOfText(packed.trim())]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const end = bytes.indexOf(10);
  const { words, loads } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  let at = end + 1;
  // A load is worked out when it is first looked at.
  const read = loads.map((told) => {
    const own = bytes.subarray(at, (at += bytesOf(told)));
    let found = null;
    return { name: told.name, get: () => (found ??= readLoad(told, own)) };
  });
  return { words, loads: read };
};
