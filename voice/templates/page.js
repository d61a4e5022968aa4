"use strict";
(() => {
  const lines = [...document.querySelectorAll(".transcript li")];
  const query = document.getElementById("query");
  const plain = text => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const texts = lines.map(line => plain(line.lastElementChild.textContent));
  const shown = document.getElementById("shown");
  const seat = document.getElementById("seat");
  const open = document.getElementById("public");
  const filter = () => {
    const wanted = plain(query.value.trim());
    let count = 0;
    lines.forEach((line, place) => {
      line.hidden = !texts[place].includes(wanted) || (seat.value !== "" && line.dataset.seat !== seat.value)
        || (open !== null && open.checked && "private" in line.dataset);
      count += line.hidden ? 0 : 1;
    });
    shown.textContent = shown.dataset.words.replace("#", count);
  };
  if (query !== null) {
    [query, seat, open].filter(field => field !== null).forEach(field => field.addEventListener("input", filter));
    filter();
    document.getElementById("filters").hidden = false;
  }
  const show = () => {
    const line = document.getElementById(location.hash.slice(1));
    if (line !== null && line.hidden) { query.value = seat.value = ""; if (open !== null) open.checked = false; filter(); line.scrollIntoView(); }
  };
  addEventListener("hashchange", show);
  const audio = document.getElementById("audio");
  if (audio === null) return;
  const whole = document.getElementById("whole");
  let heard = { file: audio.getAttribute("src") };
  const listen = (second, playing) => {
    const file = whole !== null && whole.checked && heard.whole || heard.file;
    const begin = () => { audio.currentTime = second; if (playing) audio.play(); };
    if (audio.getAttribute("src") !== file) audio.src = file;
    if (audio.readyState > 0) begin();
    else { audio.addEventListener("loadedmetadata", begin, { once: true }); audio.load(); }
  };
  if (whole !== null) {
    document.getElementById("choice").hidden = false;
    whole.addEventListener("change", () => { if (heard.whole) listen(audio.currentTime, !audio.paused); });
  }
  document.addEventListener("click", event => {
    const moment = event.target.closest("a.at");
    if (moment === null) return;
    event.preventDefault();
    heard = moment.dataset;
    listen(Number(heard.second), true);
  });
})();
