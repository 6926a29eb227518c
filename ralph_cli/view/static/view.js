// The pages of `ralph view`: lists and the matrix are made of values as they come, and every text is set as text.
"use strict";

const body = document.body;
const prefix = body.dataset.prefix;
const find = (id) => document.getElementById(id);

let saying = 0;
function say(words, { stays = false } = {}) {
  clearTimeout(saying);
  find("said").textContent = words;
  if (words && !stays) saying = setTimeout(() => say(""), 5000);
}

function make(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (name === "class") element.className = value;
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== ""));
  return element;
}

// What is kept while this tab is open, and a name for longer; without room for it everything works but that.
function recall(name, otherwise, store = "sessionStorage") {
  try { return JSON.parse(window[store].getItem(name)) ?? otherwise; } catch { return otherwise; }
}
function keep(name, value, store = "sessionStorage") {
  try { window[store].setItem(name, JSON.stringify(value)); } catch { /* there is no room */ }
}

// A page that is not seen follows nothing: a browser has few connections for all pages together. When it is seen again, or
// the server answers again, it is told everything anew: `begin` is called before that.
const GONE = "The server does not answer: is `ralph view` still running? Started again, it prints a new address.";
function follow(address, handlers) {
  let source = null;
  const stop = () => { source?.close(); source = null; };
  const start = () => {
    if (source || document.hidden) return;
    source = new EventSource(address);
    for (const [kind, handle] of Object.entries(handlers)) {
      source.addEventListener(kind, (event) => handle(JSON.parse(event.data)));
    }
    source.addEventListener("gone", stop);
    source.onerror = () => { if (!find("said").textContent.endsWith(GONE)) say(GONE, { stays: true }); };
    source.onopen = () => {
      handlers.begin?.();
      if (find("said").textContent.endsWith(GONE)) say("");
    };
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : start()));
  addEventListener("pagehide", stop);
  start();
}

async function ask(address, options) {
  let [answer, value] = [null, null];
  try {
    answer = await fetch(address, { headers: { accept: "application/json" }, ...options });
    value = await answer.json();
  } catch { throw new Error(GONE); }
  if (!answer.ok) throw new Error(value.error);
  return value;
}
const send = (address, value) =>
  ask(address, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value) });

// Keys: what a page does with them is in `keys`; typing in a field is typing.
const keys = { "?": () => find("help").showModal() };
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input, select, textarea");
  if (typing && event.key === "Escape") { event.target.blur(); return; }
  if (typing || document.querySelector("dialog[open]") || !Object.hasOwn(keys, event.key)) return;
  if (event.key === "Enter" && event.target.matches("a, button, summary")) return;
  event.preventDefault();
  keys[event.key](event);
});
find("keys").addEventListener("click", keys["?"]);
find("help").querySelector("button").addEventListener("click", (event) => {
  event.preventDefault();
  find("help").close();
});

// Where there are no keys, nobody needs to be told what they do.
const hasKeys = !matchMedia("(hover: none) and (pointer: coarse)").matches;
const keyed = (words, key) => (hasKeys ? `${words} (${key})` : words);
const spell = (count) => count.toLocaleString("en");

const SIGNS = { confirmed: "✓", wrong: "✗", corrected: "✎" };
const signsOf = (reviews) => [...new Set(reviews.map((review) => SIGNS[review.mark] ?? ""))].join("");
const readReviews = (reviews) => reviews.map((review) => `${review.mark} by ${review.by}`).join(", ");

// Done when the window has another width: the height of a phone changes whenever it is scrolled.
function whenWidthChanges(act) {
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    act();
  });
}

// The answers in sight, in order, for "previous" and "next" on the page of one; and which of them was open last.
const leave = (items) => keep("way", { from: location.pathname, items });
const openPath = (path, apart) => {
  if (apart) { window.open(`${prefix}/${path}`); return; }
  location.href = `${prefix}/${path}`;
};

// What a list or the matrix shows: the words that are searched, the state, and the reviews. It is kept for the way back.
function makeFilter(apply, begin = () => {}) {
  const fields = ["search", "filter", "reviews"].map(find);
  const place = `filter ${location.pathname}`;
  const names = new Set();
  let given = [];
  let waiting = 0;
  const now = () => { cancelAnimationFrame(waiting); waiting = 0; apply(); };
  const later = () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(now); };
  const take = () => {
    given = fields.map((field) => field.value);
    find("all").hidden = given.join("") === "";
  };
  const changed = () => { take(); keep(place, given); begin(); later(); };
  const known = (by) => {
    if (names.has(by)) return;
    names.add(by);
    const wanted = recall(place, [])[2];
    for (const [value, words] of [[`by ${by}`, `by ${by}`], [`not ${by}`, `not by ${by}`]]) {
      fields[2].append(make("option", { value }, words));
      if (wanted === value) { fields[2].value = value; take(); }
    }
  };
  fields.forEach((field) => field.addEventListener("input", changed));
  find("all").addEventListener("click", () => { fields.forEach((field) => { field.value = ""; }); changed(); find("search").focus(); });
  keys["/"] = () => find("search").select();
  recall(place, []).forEach((value, at) => { fields[at].value = value; });
  take();
  const isReviewed = (reviews) => {
    const wanted = given[2];
    if (!wanted) return true;
    if (wanted === "yes" || wanted === "no") return (reviews.length > 0) === (wanted === "yes");
    const [kind, name] = [wanted.slice(0, wanted.indexOf(" ")), wanted.slice(wanted.indexOf(" ") + 1)];
    if (kind === "mark") return reviews.some((review) => review.mark === name);
    return reviews.some((review) => review.by === name) === (kind === "by");
  };
  return {
    later,
    settle: () => { if (waiting) now(); }, // a key that comes before the next frame meets what is searched, too
    meet: (reviews) => reviews.forEach((review) => known(review.by)),
    isOn: () => given.join("") !== "",
    words: () => given[0].toLowerCase().split(/\s+/).filter(Boolean),
    // Of an item with neither state nor reviews, such as a cell that nobody asked, only the words count.
    wants: (item) => (!given[1] || item.kind === given[1]) && (!given[2] || (item.path && isReviewed(item.reviews))),
  };
}

function showHome() {
  const items = new Map();
  const order = []; // the newest first: names begin with the time
  const list = find("runs");
  const NONE = "There are no runs in this folder yet. A first one: ralph qa report.pdf \"What was ...?\"";
  let isRead = false;
  let wanted = [];
  let last = recall("at", "");
  // So many lines are made and shown; the next ones when the end of them comes into sight.
  const STEP = 60;
  let most = STEP;
  const more = () => { if (most < wanted.length) { most += STEP; fill(); } };
  new IntersectionObserver((seen) => { if (seen.some((entry) => entry.isIntersecting)) more(); }, { rootMargin: "900px" }).observe(find("more"));
  find("more").addEventListener("click", more);

  const links = () => [...document.querySelectorAll(".list li:not([hidden]) a.open")];
  const move = (step) => {
    filter.settle();
    const at = links().indexOf(document.activeElement);
    if (at === links().length - 1) more();
    const shown = links();
    shown[at < 0 ? 0 : Math.min(Math.max(at + step, 0), shown.length - 1)]?.focus();
  };
  keys["j"] = keys["ArrowDown"] = () => move(1);
  keys["k"] = keys["ArrowUp"] = () => move(-1);

  // The time of whoever looks, written as it sorts.
  const timeOf = (run) => (run.begun ? new Date(run.begun).toLocaleString("sv", { dateStyle: "short", timeStyle: "short" }) : "");
  const build = (run) => {
    const facts = [run.document, run.mode, timeOf(run), run.cost, run.run].filter(Boolean);
    return make("li", { class: run.kind },
      make("div", { class: "top" }, make("span", { class: `verdict ${run.kind}` }, run.state),
        make("a", { class: "open", href: `${prefix}/${run.path}` }, run.question || run.run),
        run.reviews.length ? make("span", { class: "tick", title: run.more.join("\n") }, `${signsOf(run.reviews)} ${readReviews(run.reviews)}`) : null),
      run.answer ? make("p", {}, run.answer) : null,
      make("p", { class: "soft" }, facts.join(" · ")));
  };
  const fill = () => {
    let next = list.firstChild;
    for (const path of wanted.slice(0, most)) {
      const item = items.get(path);
      item.element ??= build(item.run);
      if (next === item.element) next = next.nextSibling;
      else list.insertBefore(item.element, next);
    }
    while (next) { const gone = next; next = next.nextSibling; gone.remove(); }
    find("more").hidden = most >= wanted.length;
    if (!last || document.activeElement !== body || !items.get(last)?.element?.isConnected) return;
    items.get(last).element.querySelector("a").focus();
    last = "";
  };
  const filter = makeFilter(() => {
    const words = filter.words();
    wanted = order.filter((path) => {
      const { text, run } = items.get(path);
      return filter.wants(run) && words.every((word) => text.includes(word));
    });
    const reviewed = [...items.values()].filter(({ run }) => run.reviews.length).length;
    const some = filter.isOn() ? `${spell(wanted.length)} of ` : "";
    find("count").textContent = items.size ? `${some}${spell(items.size)} ${items.size === 1 ? "run" : "runs"}, ${spell(reviewed)} reviewed` : "";
    // A table has neither a state nor reviews of its own: it is found by its words.
    const tables = [...find("tables").children];
    for (const table of tables) {
      table.hidden = !filter.wants({}) || !words.every((word) => table.textContent.toLowerCase().includes(word));
    }
    find("tables-part").hidden = tables.every((table) => table.hidden);
    find("wait").hidden = wanted.length > 0;
    if (isRead) find("wait").textContent = items.size ? "No run matches." : NONE;
    fill();
  }, () => { most = STEP; });
  list.addEventListener("click", (event) => {
    if (event.target.closest("a.open")) leave(wanted.map((path) => [path, items.get(path).run.reviews.length > 0]));
  });

  const placeOf = (path) => {
    let [low, high] = [0, order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (order[middle] > path) low = middle + 1; else high = middle;
    }
    return low;
  };
  const put = (run) => {
    const known = items.get(run.path);
    const same = JSON.stringify(run);
    if (known?.same === same) return;
    const text = [run.question, run.answer, run.state, run.document, run.mode, timeOf(run), run.cost, run.run, ...run.more].join(" ").toLowerCase();
    filter.meet(run.reviews);
    if (!known) order.splice(placeOf(run.path), 0, run.path);
    const element = known?.element?.isConnected ? build(run) : null;
    if (element) {
      const focused = known.element.contains(document.activeElement);
      known.element.replaceWith(element);
      if (focused) element.querySelector("a").focus();
    }
    items.set(run.path, { element, text, run, same });
  };
  const drop = (path) => { if (items.delete(path)) order.splice(placeOf(path), 1); };
  let told = null; // what was told since the list was begun anew
  follow(`${prefix}/lists`, {
    begin: () => { told = new Set(); },
    runs: (runs) => {
      runs.forEach(put);
      runs.forEach((run) => told?.add(run.path));
      filter.later();
    },
    gone: (path) => { drop(path); filter.later(); },
    tables: (tables) => {
      find("tables").replaceChildren(...tables.map((table) => make("li", { class: table.kind },
        make("a", { class: "open", href: `${prefix}/${table.path}` }, table.table),
        make("p", { class: "soft" }, table.size))));
      filter.later();
    },
    read: (count) => {
      if (told) [...items.keys()].filter((path) => !told.has(path)).forEach(drop);
      told = null;
      list.dataset.filled = count;
      isRead = true;
      filter.later();
    },
    fault: (words) => say(words, { stays: true }),
  });
}

function showTable() {
  const columns = Number(body.dataset.columns);
  const rows = [...find("rows").children];
  // Of each row the words of its head and, when they have come, its cells; its elements are made when it is near.
  const data = rows.map((row) => ({ head: row.textContent.toLowerCase(), cells: null, same: "", made: false, near: false }));
  const names = [...document.querySelectorAll(".heads b")].map((name) => name.textContent);
  body.style.setProperty("--columns", columns);
  // A name too long for its column is parted behind a sign, not within a word.
  for (const name of document.querySelectorAll("#rows b")) {
    name.replaceChildren(...name.textContent.split(/(?<=[_.-])/).flatMap((part) => [part, make("wbr")]));
  }
  let place = [0, 0];
  let last = recall("at", "");
  let filled = 0;
  let isOther = false; // the table has other questions or documents than this page

  const fill = (at) => {
    const [row, { cells }] = [rows[at], data[at]];
    if (!data[at].made) {
      row.append(...Array.from({ length: columns }, (_, column) => make("div", {
        role: "gridcell", class: "cell waiting", tabindex: "-1", "aria-colindex": column + 2,
      }, "…")));
      data[at].made = true;
    }
    cells?.forEach((cell, column) => put(row.children[column + 1], cell));
  };
  const put = (element, cell) => {
    element.className = `cell ${cell.kind}${cell.wanted === false ? " other" : ""}`;
    element.replaceChildren(
      make("span", { class: "state" }, cell.state, cell.reviews?.length
        ? make("span", { class: "tick", role: "img", "aria-label": readReviews(cell.reviews) }, signsOf(cell.reviews)) : null),
      make("span", { class: "shown" }, cell.shown),
      make("span", { class: "place" }, cell.place ?? ""));
    element.title = [cell.path ? cell.shown : "", ...(cell.more ?? [])].filter(Boolean).join("\n");
    if (cell.path) element.dataset.path = cell.path; else delete element.dataset.path;
  };
  const sight = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const at = rows.indexOf(entry.target);
      data[at].near = entry.isIntersecting;
      if (entry.isIntersecting && (!data[at].made || data[at].stale)) { fill(at); data[at].stale = false; }
    }
  }, { root: find("grid"), rootMargin: "600px 0px" });
  rows.forEach((row) => sight.observe(row));
  addEventListener("beforeprint", () => rows.forEach((_, at) => { if (!rows[at].hidden) fill(at); }));

  const cellAt = ([row, column]) => {
    if (rows[row] && (!data[row].made || data[row].stale)) { fill(row); data[row].stale = false; }
    return rows[row]?.children[column + 1];
  };
  const go = (row, column, step = 1) => {
    // Where there is no row in sight any further, one on the other side will do.
    let at = row;
    while (rows[at]?.hidden) at += step;
    if (!rows[at]) for (at = row; rows[at]?.hidden;) at -= step;
    row = at;
    const cell = cellAt([row, column]);
    if (!cell) return;
    cellAt(place)?.setAttribute("tabindex", "-1");
    place = [row, column];
    cell.setAttribute("tabindex", "0");
    find("grid").tabIndex = -1;
    cell.focus({ preventScroll: true });
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  // Across the matrix alone, so that the page stays where it is.
  const show = (cell) => {
    const [frame, seen] = [find("grid").getBoundingClientRect(), cell.getBoundingClientRect()];
    const begin = document.querySelector(".heads .cell").getBoundingClientRect().right;
    if (seen.left < begin || seen.right > frame.right) find("grid").scrollLeft += seen.left - begin;
  };
  const isInGrid = () => document.activeElement?.closest("#rows") !== null;
  const step = (down, across) => () => {
    filter.settle();
    if (!isInGrid()) { go(...place); return; }
    go(place[0] + down, Math.min(Math.max(place[1] + across, 0), columns - 1), down || 1);
  };
  Object.assign(keys, {
    j: step(1, 0), ArrowDown: step(1, 0), k: step(-1, 0), ArrowUp: step(-1, 0),
    l: step(0, 1), ArrowRight: step(0, 1), h: step(0, -1), ArrowLeft: step(0, -1),
    Enter: (event) => { if (isInGrid()) open(cellAt(place), event.shiftKey); },
    Escape: () => { location.href = `${prefix}/`; },
  });
  const open = (cell, apart) => {
    if (!cell?.dataset.path) return;
    const shown = data.filter((_, at) => !rows[at].hidden).flatMap(({ cells }) => cells ?? [])
      .filter((each) => each.path && each.wanted !== false).map((each) => [each.path, each.reviews.length > 0]);
    leave(shown);
    openPath(cell.dataset.path, apart);
  };
  for (const kind of ["click", "auxclick"]) {
    find("rows").addEventListener(kind, (event) => {
      const cell = event.target.closest("[role=gridcell]");
      if (!cell || event.button > 1 || String(getSelection())) return;
      place = [rows.indexOf(cell.parentElement), [...cell.parentElement.children].indexOf(cell) - 1];
      open(cell, event.button === 1 || event.ctrlKey || event.metaKey);
    });
  }
  find("grid").addEventListener("focus", () => go(...place));

  let isNarrowed = false; // by whoever looks, just now
  const filter = makeFilter(() => {
    const [words, isOn] = [filter.words(), filter.isOn()];
    let [count, wanted, answers, reviewed] = [0, 0, 0, 0];
    let first = null;
    data.forEach(({ head, cells, made, near }, at) => {
      let some = false;
      let changed = false;
      const missing = words.filter((word) => !head.includes(word));
      (cells ?? []).forEach((cell, column) => {
        const is = !isOn || (filter.wants(cell) && missing.every((word) => cell.text.includes(word)));
        changed ||= is !== (cell.wanted ?? true);
        cell.wanted = is;
        some ||= is;
        if (is) first ??= [at, column];
        wanted += is && cell.path ? 1 : 0;
        answers += cell.path ? 1 : 0;
        reviewed += cell.reviews?.length ? 1 : 0;
      });
      const shown = some || !isOn || (!cells && missing.length === 0);
      if (rows[at].hidden === shown) rows[at].hidden = !shown;
      count += shown ? 1 : 0;
      if (!changed || !made) return;
      if (near && shown) cells.forEach((cell, column) => rows[at].children[column + 1].classList.toggle("other", !cell.wanted));
      else data[at].stale = true;
    });
    find("count").textContent = isOn ? `${spell(wanted)} of ${spell(answers)} answers, ${spell(count)} of ${spell(rows.length)} rows` : "";
    // A count of what has been read so far would be taken for that of the table.
    const isWhole = filled >= rows.length;
    find("reviewed").textContent = !isWhole ? `Reading the records: ${spell(filled)} of ${spell(rows.length)} …` : answers ? `Reviewed: ${spell(reviewed)} of ${spell(answers)}.` : "";
    if (rows[place[0]]?.hidden && isInGrid()) go(...place);
    // What was searched may stand in a column that is out of sight; the keys begin there.
    if (isNarrowed && isOn && first && !isInGrid()) {
      cellAt(place)?.setAttribute("tabindex", "-1");
      place = first;
      cellAt(place).setAttribute("tabindex", "0");
      find("grid").tabIndex = -1;
      find("grid").scrollTop = 0;
      show(cellAt(place));
    }
    isNarrowed = false;
  }, () => { isNarrowed = true; });
  whenWidthChanges(() => { if (isInGrid()) show(cellAt(place)); });

  follow(`${prefix}/${body.dataset.path}/cells`, {
    shape: (shape) => { isOther = shape !== body.dataset.shape; if (isOther) location.reload(); },
    rows: (found) => {
      if (isOther) return;
      for (const { row, cells } of found) {
        const same = JSON.stringify(cells);
        if (!rows[row] || data[row].same === same) continue;
        if (!data[row].cells) filled += 1;
        data[row].same = same;
        data[row].cells = cells.map((cell, column) => ({
          ...cell, text: [names[column], cell.shown, cell.state, cell.place, ...(cell.more ?? [])].join(" ").toLowerCase(),
        }));
        cells.forEach((cell) => filter.meet(cell.reviews ?? []));
        if (data[row].made || data[row].near) fill(row);
        const column = last ? cells.findIndex((cell) => cell.path === last) : -1;
        if (column >= 0 && document.activeElement === body) { last = ""; go(row, column); }
      }
      find("grid").dataset.filled = filled;
      filter.later();
    },
    gone: () => say("The table is gone.", { stays: true }),
    fault: (words) => say(words, { stays: true }),
  });
}

function showRun() {
  const address = `${prefix}/${body.dataset.path}`;
  const sheet = find("sheet");
  const way = recall("way", { from: `${prefix}/`, items: [] });
  const here = way.items.findIndex(([path]) => path === body.dataset.path);
  let known = { quotes: [], pages: 0, missing: "" };
  let page = 0;
  let chosen = 0;
  let turned = 0;
  keep("at", body.dataset.path);

  const paper = (...parts) => make("div", { class: "paper" }, ...parts);
  const tell = (text) => sheet.replaceChildren(make("p", { class: "soft" }, text));
  const name = (place, isMany = known.pages > 1) => {
    find("pager").hidden = false;
    find("where").textContent = place;
    find("before").hidden = find("after").hidden = !isMany;
    find("before").disabled = page <= 1;
    find("after").disabled = page >= known.pages;
    find("goto").hidden = !isMany || !known.one;
    find("goto").value = page || "";
  };

  // A quote that somebody has chosen stands in the address: a reload, or a link, shows it again.
  const linked = () => Number(/^#quote-([0-9]{1,9})$/.exec(location.hash)?.[1] ?? 0);
  async function choose(number, { scroll = false, isLinked = true } = {}) {
    const quote = known.quotes.find((each) => each.id === number);
    if (!quote) return;
    chosen = number;
    if (isLinked) history.replaceState(null, "", `#quote-${number}`);
    document.querySelectorAll("figure.chosen").forEach((figure) => figure.classList.remove("chosen"));
    find(`quote-${number}`)?.classList.add("chosen");
    if (scroll) find(`quote-${number}`)?.scrollIntoView({ block: "center" });
    page = quote.page;
    if (quote.drawn) { await turn(quote.page); return; }
    const mine = turned += 1;
    if (!quote.page) { tell(known.missing || "The quote is not at its place in the document any more."); return; }
    try {
      const found = await ask(`${address}/words/${number}`);
      if (mine !== turned) return;
      sheet.replaceChildren(paper(found.before, make("mark", {}, found.quoted), found.after));
      name(quote.place);
      center();
    } catch (error) { if (mine === turned) tell(error.message); }
  }

  // The cell of a figure that is pointed at, or that was chosen last, on the page that is shown.
  let cell = "";
  const showCell = () => {
    for (const box of sheet.querySelectorAll(".figure-cell")) box.classList.toggle("shown", box.dataset.cell === cell);
    sheet.querySelector(".figure-cell.shown")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const pointAt = (event) => {
    const figure = event.target.closest?.(".figure")?.querySelector("a[data-cell]");
    if (figure && figure.dataset.cell !== cell) { cell = figure.dataset.cell; showCell(); }
  };
  for (const kind of ["mouseover", "focusin"]) document.addEventListener(kind, pointAt);

  // The quote that is chosen, in sight: when its page is shown, and when the window has another size.
  function center() {
    const lines = [...sheet.querySelectorAll(".box.chosen, mark")];
    sheet.scrollTop = lines.length ? lines[0].offsetTop - sheet.clientHeight / 3 : 0;
    sheet.scrollLeft = lines.length ? Math.min(...lines.map((line) => line.offsetLeft)) - 20 : 0;
  }
  whenWidthChanges(() => { if (sheet.querySelector(".box.chosen, mark")) center(); });

  async function turn(number) {
    if (number < 1 || number > known.pages) return;
    const mine = turned += 1;
    page = number;
    try {
      const shown = await ask(`${address}/pages/${number}`);
      if (mine !== turned) return;
      name(shown.place);
      if (shown.text !== undefined) {
        sheet.replaceChildren(paper(shown.text || "There is no text on this page."));
        sheet.scrollTop = 0;
        return;
      }
      const picture = make("img", {
        src: `${address}/pages/${number}/picture`, width: shown.width, height: shown.height, alt: `The document, ${shown.place}`,
      });
      const place = (box, [left, top, right, bottom]) => {
        Object.assign(box.style, {
          left: `${100 * left}%`, top: `${100 * top}%`,
          width: `${100 * (right - left)}%`, height: `${100 * (bottom - top)}%`,
        });
        return box;
      };
      const boxes = Object.entries(shown.lines).flatMap(([quote, lines]) => lines.map((line) => {
        const box = make("span", { class: Number(quote) === chosen ? "box chosen" : "box", title: `Quote ${quote}` });
        box.dataset.quote = quote;
        return place(box, line);
      }));
      boxes.push(...Object.entries(shown.cells).flatMap(([cell, lines]) => lines.map((line) => {
        const box = make("span", { class: "figure-cell" });
        box.dataset.cell = cell;
        return place(box, line);
      })));
      const drawn = make("div", { class: "paper drawn" }, picture, ...boxes);
      sheet.replaceChildren(drawn);
      center();
      showCell();
    } catch (error) { if (mine === turned) { tell(error.message); name(`page ${number} of ${known.pages}`); } }
  }
  sheet.addEventListener("click", (event) => {
    const box = event.target.closest(".box");
    if (box) choose(Number(box.dataset.quote), { scroll: true });
  });

  const step = (by) => {
    const ids = known.quotes.map((quote) => quote.id);
    const at = ids.indexOf(chosen);
    const next = ids[at < 0 ? 0 : Math.min(Math.max(at + by, 0), ids.length - 1)];
    if (next) choose(next, { scroll: true });
  };
  const isThere = (by) => here >= 0 && here + by >= 0 && here + by < way.items.length;
  const other = (by) => { if (isThere(by)) location.replace(`${prefix}/${way.items[here + by][0]}`); else say("There is no other."); };
  const back = () => {
    const table = /^tables\/[^/]+/.exec(body.dataset.path);
    const whole = `${prefix}/${table?.[0] ?? ""}`;
    location.href = here >= 0 ? way.from : whole;
  };
  const showWay = () => {
    find("way").hidden = here < 0 || way.items.length < 2;
    const reviewed = way.items.filter(([, isReviewed]) => isReviewed).length;
    find("way-where").textContent = `${spell(here + 1)} of ${spell(way.items.length)}; reviewed: ${spell(reviewed)}`;
    find("way-before").disabled = !isThere(-1);
    find("way-after").disabled = !isThere(1);
  };
  Object.assign(keys, {
    j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
    "[": () => turn(page - 1), "]": () => turn(page + 1), g: () => { if (!find("goto").hidden) find("goto").select(); },
    a: () => { if (find("ask")?.hidden === false) find("question").focus(); else say("You cannot ask a follow-up on this run now."); }, p: () => other(-1), n: () => other(1),
    c: () => review("confirmed", 0), w: () => review("wrong", 0), e: () => review("corrected", 0), u: () => review("withdrawn", 0),
    Escape: back,
  });
  find("before").addEventListener("click", () => turn(page - 1));
  find("after").addEventListener("click", () => turn(page + 1));
  find("goto").addEventListener("change", () => {
    const number = Number(find("goto").value);
    if (Number.isInteger(number) && number >= 1 && number <= known.pages) turn(number);
    else { say(`There are ${known.pages} pages.`); find("goto").value = page; }
  });
  find("goto").addEventListener("keyup", (event) => { if (event.key === "Enter") sheet.focus({ preventScroll: true }); });
  addEventListener("hashchange", () => { if (linked() && linked() !== chosen) choose(linked(), { scroll: true }); });
  find("way-before").addEventListener("click", () => other(-1));
  find("way-after").addEventListener("click", () => other(1));
  const fold = (isFolded) => {
    find("viewer").classList.toggle("folded", isFolded);
    find("fold").textContent = isFolded ? "Show the document" : "Hide";
    find("fold").setAttribute("aria-expanded", String(!isFolded));
  };
  let isFoldedByHand = false;
  find("fold").addEventListener("click", () => { isFoldedByHand = true; fold(!find("viewer").classList.contains("folded")); });
  find("answer").addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#quote-']");
    const figure = event.target.closest("figure[id^=quote-]");
    if (link) choose(Number(link.hash.slice("#quote-".length)));
    else if (figure && !event.target.closest("summary, a, button")) choose(Number(figure.id.slice("quote-".length)));
    const button = event.target.closest("button[data-mark]");
    if (button) review(button.dataset.mark, Number(button.closest("[data-claim]").dataset.claim));
  });

  const you = () => recall("name", body.dataset.reviewer, "localStorage");
  const marksOf = (claim) => document.querySelector(`.marks[data-claim="${claim}"]`);
  // A review asks for a note, and for what is right; an empty name is never sent.
  function review(mark, claim) {
    if (body.dataset.running === "yes" || !marksOf(claim)) { say("The run has not ended: review it when it has."); return; }
    document.querySelector("form.review")?.remove();
    // Beside a review of a claim stands what the claim rests on.
    const figure = claim ? marksOf(claim).closest("article")?.querySelector("figure[id^=quote-]") : null;
    if (figure && !figure.classList.contains("chosen")) choose(Number(figure.id.slice("quote-".length)));
    const button = marksOf(claim).querySelector(`[data-mark="${mark}"]`);
    if (button.hidden) { say("There is no review to take back."); return; }
    const field = (label, value) => {
      const input = make("input", { type: "text", autocomplete: "off" });
      input.value = value;
      return [make("label", {}, label, input), input];
    };
    const [right, correction] = field("What is right", "");
    const [why, note] = field("Note, if you like", "");
    const [who, by] = field("Your name", you());
    correction.required = mark === "corrected";
    by.required = true;
    const noun = claim ? find(`claim-${claim}`).textContent : "The answer";
    const verb = mark === "withdrawn" ? "Take back" : "Keep";
    const onward = make("button", { type: "button", class: "onward", hidden: !isThere(1) }, keyed(`${verb} and go on`, "Shift+Enter"));
    const form = make("form", { class: "review" },
      make("b", {}, `${noun}: ${button.textContent.toLowerCase()}`),
      mark === "corrected" ? right : null, mark === "withdrawn" ? null : why, who,
      make("div", { class: "marks" }, make("button", { type: "submit" }, keyed(verb, "Enter")), onward,
        make("button", { type: "button", class: "cancel" }, keyed("Cancel", "Escape"))));
    const close = () => {
      form.remove();
      button.focus();
      if (stale) refresh();
    };
    form.querySelector(".cancel").addEventListener("click", close);
    onward.addEventListener("click", () => submit(true));
    form.addEventListener("submit", (event) => { event.preventDefault(); submit(false); });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { event.stopPropagation(); close(); }
      if (event.key === "Enter" && event.shiftKey && isThere(1)) { event.preventDefault(); submit(true); }
    });
    async function submit(isOnward) {
      if (!form.reportValidity()) return;
      const value = { mark, claim, correction: correction.value, note: note.value, by: by.value };
      let standing = [];
      try { standing = await send(`${address}/reviews`, value); } catch (error) { say(`Not kept. ${error.message}`, { stays: true }); return; }
      keep("name", by.value, "localStorage");
      if (here >= 0) { way.items[here][1] = standing.length > 0; keep("way", way); showWay(); }
      if (isOnward) { other(1); return; }
      form.remove();
      await refresh({ claim, mark });
      const done = mark === "withdrawn" ? "Taken back." : "Kept.";
      say(isThere(1) && hasKeys ? `${done} n goes on to the next.` : done);
    }
    marksOf(claim).after(form);
    (mark === "corrected" ? correction : mark === "withdrawn" ? by : note).focus();
  }

  // The letters of a long question are smaller, so that its answer is in sight.
  const LONG = 160;
  const sizeTitle = () => { for (const title of document.querySelectorAll("#answer h1")) title.classList.toggle("long", title.textContent.length > LONG); };

  function addMarks() {
    const said = [...document.querySelectorAll(".reviews [data-claim]")];
    const showOwn = (marks, claim) => {
      const own = said.filter((item) => item.dataset.claim === String(claim));
      for (const button of marks.querySelectorAll("button")) {
        const isSaid = own.some((item) => item.className === button.dataset.mark);
        button.classList.toggle("said-so", isSaid);
        if (button.dataset.mark === "withdrawn") button.hidden = own.length === 0;
      }
      return own;
    };
    const pattern = marksOf(0);
    if (!pattern) return;
    for (const claim of document.querySelectorAll("#answer article.claim")) {
      const number = claim.getAttribute("aria-labelledby").slice("claim-".length);
      const marks = pattern.cloneNode(true);
      marks.dataset.claim = number;
      marks.setAttribute("aria-label", `Your review of ${find(`claim-${number}`).textContent.toLowerCase()}`);
      marks.querySelectorAll("button").forEach((button) => button.removeAttribute("title"));
      const head = claim.querySelector(".head");
      head.append(marks);
      const own = showOwn(marks, number);
      if (own.length) head.after(make("ul", { class: "reviews" }, ...own.map((item) => item.cloneNode(true))));
    }
    showOwn(pattern, 0);
  }

  let stale = false;
  async function refresh({ claim, mark } = {}) {
    stale = false;
    let text = "";
    try {
      const answer = await fetch(`${address}?part=answer`);
      if (!answer.ok) return;
      text = await answer.text();
    } catch { return; } // what follows the run says that the server is gone
    // Its scripts would not run: the policy of the page admits files of ours alone.
    const made = new DOMParser().parseFromString(text, "text/html");
    const open = [...document.querySelectorAll("#answer details[open] > summary")].map((item) => item.textContent);
    claim ??= document.activeElement?.closest(".marks")?.dataset.claim;
    mark ??= document.activeElement?.dataset.mark;
    find("answer").replaceChildren(...made.body.childNodes);
    sizeTitle();
    for (const summary of document.querySelectorAll("#answer summary")) {
      summary.parentElement.open = open.includes(summary.textContent);
    }
    if (body.dataset.running === "no") addMarks();
    if (claim !== undefined) {
      const marks = marksOf(claim);
      (marks?.querySelector(`[data-mark="${mark}"]:not([hidden])`) ?? marks?.querySelector("button"))?.focus();
    }
    find(`quote-${chosen}`)?.classList.add("chosen");
    await load();
  }

  async function load() {
    const before = JSON.stringify(known);
    try { known = await ask(`${address}/quotes`); } catch (error) { tell(error.message); return; }
    if (JSON.stringify(known) === before) return;
    const wanted = chosen || (known.quotes.some((quote) => quote.id === linked()) ? linked() : 0);
    // On a small screen the document stands in the way of an answer that quotes nothing.
    if (!isFoldedByHand && matchMedia("(max-width: 60rem)").matches) fold(!known.quotes.length && !known.missing);
    if (known.quotes.length) await choose(wanted || known.quotes[0].id, { scroll: wanted !== chosen, isLinked: false });
    else if (known.missing) tell(known.missing);
    else if (known.pages) await turn(page || 1);
    else tell(body.dataset.running === "yes" ? "Nothing is quoted yet." : "There is no document.");
  }

  find("to-ask")?.addEventListener("click", (event) => { event.preventDefault(); find("question").focus(); });
  find("ask")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const question = find("question").value.trim();
    if (!question) return;
    say("Asking …", { stays: true });
    const button = find("ask").querySelector("button");
    button.disabled = true; // once is enough: each question costs
    try { location.href = `${prefix}/${(await send(`${address}/ask`, { question })).path}`; } catch (error) { say(error.message); button.disabled = false; }
  });

  follow(`${address}/changes`, {
    state: ({ running, state }) => {
      if (document.querySelector("#answer [data-state]")?.dataset.state === state) return;
      body.dataset.running = running ? "yes" : "no";
      if (find("ask")) find("ask").hidden = find("to-ask").hidden = running;
      if (document.querySelector("form.review")) stale = true; else refresh();
    },
    gone: () => say("The run is gone.", { stays: true }),
    fault: (words) => say(words, { stays: true }),
  });
  if (body.dataset.running === "no") addMarks();
  sizeTitle();
  showWay();
  load();
}

({ home: showHome, table: showTable, run: showRun })[body.dataset.page]?.();
body.dataset.ready = "yes";
