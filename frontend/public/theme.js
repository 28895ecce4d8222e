// Before the first paint, so that a chosen theme does not flash the other one.
try {
  const theme = localStorage.getItem("punctual-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is refused: the system's theme applies.
}
