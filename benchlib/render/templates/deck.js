"use strict";
// Turns slides with keys, fits them to the window, shows what the speaker says.
const frames = [...document.querySelectorAll(".frame")];
const fit = () => document.documentElement.style.setProperty("--scale", Math.min(innerWidth / 1280, innerHeight / 720));
const current = () => frames.reduce((nearest, frame) => (Math.abs(frame.getBoundingClientRect().top) < Math.abs(nearest.getBoundingClientRect().top) ? frame : nearest));
const mark = () => { const shown = current(); frames.forEach((frame) => frame.classList.toggle("current", frame === shown)); };
const turn = (by) => {
  const place = Math.max(0, Math.min(frames.length - 1, frames.indexOf(current()) + by));
  frames[place].scrollIntoView();
  mark();
  history.replaceState(null, "", `#${frames[place].id}`);
};
const STEPS = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -1e6, End: 1e6 };
addEventListener("keydown", (event) => {
  if (event.target.closest("input, dialog, [data-e]") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in STEPS) { event.preventDefault(); turn(STEPS[event.key]); }
  if (event.key.toLowerCase() === "s") document.documentElement.toggleAttribute("data-notes");
});
addEventListener("scroll", mark);
addEventListener("resize", () => { const shown = current(); fit(); shown.scrollIntoView(); });
fit();
// A slide is a sheet as it is: neither the width of A4 nor footnotes.
removeEventListener("beforeprint", toPaper);
removeEventListener("afterprint", toScreen);
document.getElementById(location.hash.slice(1))?.scrollIntoView();
mark();
