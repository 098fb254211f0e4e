
// A second press, while the answer to the first is on its way, would ask for that answer again.
(() => {
  const patience = 10000; // milliseconds; then the answer may be asked for once more
  let pressedAt = -Infinity;
  addEventListener("submit", (event) => {
    if (event.timeStamp - pressedAt < patience) event.preventDefault();
    else pressedAt = event.timeStamp;
  });
  addEventListener("pageshow", () => (pressedAt = -Infinity)); // back from the application
})();
