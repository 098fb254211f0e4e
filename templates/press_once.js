
// A second press, while the answer to the first is on its way, would ask for that answer again.
(() => {
  const patience = 10000; // milliseconds; then the answer may be asked for once more
  let button;
  let pressedAt;
  addEventListener("submit", (event) => {
    if (event.submitter === button && event.timeStamp - pressedAt < patience) event.preventDefault();
    button = event.submitter;
    pressedAt = event.timeStamp;
  });
  const forget = () => (button = undefined);
  addEventListener("input", forget); // after the person stopped the first
  addEventListener("pageshow", forget); // back from the application
})();
