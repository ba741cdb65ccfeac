"use strict";
// Narrow the list of reports by words and status. What was asked for stands in the address, so that going
// back from a report finds the list as it was left.
(() => {
  const words = document.getElementById("words");
  if (!words) return;
  const status = document.getElementById("status");
  const found = document.getElementById("found");
  const reports = [...document.querySelectorAll(".report")];
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const texts = reports.map((one) => plain(one.textContent));

  const narrow = () => {
    const asked = plain(words.value).split(/\s+/).filter(Boolean);
    let shown = 0;
    reports.forEach((one, place) => {
      const fits = (!status.value || one.dataset.status === status.value)
        && asked.every((word) => texts[place].includes(word));
      one.hidden = !fits;
      shown += fits;
    });
    document.getElementById("none").hidden = shown > 0;
    found.textContent = shown + " of " + reports.length + " shown";
  };
  const keep = () => {
    const asked = new URLSearchParams();
    if (words.value) asked.set("words", words.value);
    if (status.value) asked.set("status", status.value);
    history.replaceState(null, "", "#" + asked);
    narrow();
  };

  const asked = new URLSearchParams(location.hash.slice(1));
  words.value = asked.get("words") || "";
  status.value = asked.get("status") || "";
  if (status.selectedIndex < 0) status.value = "";
  words.addEventListener("input", keep);
  status.addEventListener("change", keep);
  words.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    words.value = "";
    keep();
  });
  document.querySelector(".narrowing").hidden = false;
  narrow();
})();
