// ---- opening: before the body is read ----

// A page that is opened as paper is laid out once, when all is there that it is laid out with; start.js shows it.
if (location.search === "?paper") document.documentElement.hidden = true;
