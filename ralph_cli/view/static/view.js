// The pages of `ralph view`: lists and the matrix are made of values as they come, and every text is set as text.
"use strict";

const body = document.body;
const prefix = body.dataset.prefix;
const find = (id) => document.getElementById(id);
const said = (words) => { find("said").textContent = words; };

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

function follow(address, handlers) {
  const source = new EventSource(address);
  for (const [kind, handle] of Object.entries(handlers)) {
    source.addEventListener(kind, (event) => handle(JSON.parse(event.data)));
  }
  source.onerror = () => said("The connection is gone: is `ralph view` still running?");
  source.onopen = () => said("");
  addEventListener("pagehide", () => source.close());
  return source;
}

async function get(address) {
  const answer = await fetch(address, { headers: { accept: "application/json" } });
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error);
  return value;
}

async function send(address, value) {
  const answer = await fetch(address, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value),
  });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  return found;
}

// Keys: what a page does with them is in `keys`; typing in a field is typing.
const keys = { "?": () => find("help").showModal() };
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input:not([type=radio]), select, textarea");
  if (typing && event.key === "Escape") { event.target.blur(); return; }
  if (typing || document.querySelector("dialog[open]") || !(event.key in keys)) return;
  event.preventDefault();
  keys[event.key](event);
});
find("keys").addEventListener("click", keys["?"]);
find("help").querySelector("button").addEventListener("click", (event) => {
  event.preventDefault();
  find("help").close();
});
keys["Escape"] = () => { if (body.dataset.page !== "home") location.href = backFrom(); };
function backFrom() {
  const table = /^tables\/[^/]+/.exec(body.dataset.path ?? "");
  return table ? `${prefix}/${table[0]}` : `${prefix}/`;
}

const SIGNS = { confirmed: "✓", wrong: "✗", corrected: "✎" };
const signsOf = (marks) => marks.map((mark) => SIGNS[mark] ?? "").join("");
const badge = (words, kind) => make("span", { class: `verdict ${kind}` }, words);

// What a list or the matrix shows: the words that were searched, and the kind that was chosen.
function isWanted(text, kinds, marks) {
  const wanted = find("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const kind = find("filter").value;
  if (!wanted.every((word) => text.includes(word))) return false;
  if (kind === "reviewed") return marks.length > 0;
  if (kind === "unreviewed") return marks.length === 0;
  return !kind || kinds.includes(kind);
}

function onFilter(apply) {
  let waiting = 0;
  const later = () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(apply); };
  find("search").addEventListener("input", later);
  find("filter").addEventListener("change", later);
  keys["/"] = () => find("search").focus();
  return later;
}

function showHome() {
  const items = new Map();
  const list = find("runs");
  const links = () => [...document.querySelectorAll(".list a.open")].filter((link) => link.offsetParent !== null);
  const move = (step) => {
    const shown = links();
    const at = shown.indexOf(document.activeElement);
    shown[at < 0 ? 0 : Math.min(Math.max(at + step, 0), shown.length - 1)]?.focus();
  };
  keys["j"] = keys["ArrowDown"] = () => move(1);
  keys["k"] = keys["ArrowUp"] = () => move(-1);
  const apply = () => {
    let count = 0;
    for (const { element, text, run } of items.values()) {
      element.hidden = !isWanted(text, [run.kind], run.marks);
      count += element.hidden ? 0 : 1;
    }
    find("count").textContent = `${count} of ${items.size}`;
  };
  const later = onFilter(apply);
  const put = (run) => {
    const link = make("a", { class: "open", href: `${prefix}/${run.path}` }, run.question || run.run);
    const facts = [run.document, run.mode, run.begun.slice(0, 16).replace("T", " "), run.cost, run.run];
    const element = make("li", { class: run.kind },
      make("div", { class: "top" }, badge(run.state, run.kind), link,
        run.marks.length ? make("span", { class: "sign", title: run.reviews.join("\n") }, signsOf(run.marks)) : null),
      run.answer ? make("p", {}, run.answer) : null,
      make("p", { class: "soft" }, facts.filter(Boolean).join(" · ")));
    const known = items.get(run.run);
    const text = [run.question, run.answer, run.state, ...facts, ...run.reviews].join(" ").toLowerCase();
    if (known) {
      const focused = known.element.contains(document.activeElement);
      known.element.replaceWith(element);
      if (focused) element.querySelector("a").focus();
    } else {
      // The newest stands first: names begin with the time.
      const below = [...items.keys()].filter((name) => name < run.run).sort().at(-1);
      list.insertBefore(element, below ? items.get(below).element : null);
    }
    items.set(run.run, { element, text, run });
  };
  follow(`${prefix}/lists`, {
    runs: (runs) => { runs.forEach(put); later(); },
    gone: (name) => { items.get(name)?.element.remove(); items.delete(name); later(); },
    tables: (tables) => {
      find("tables-part").hidden = tables.length === 0;
      find("tables").replaceChildren(...tables.map((table) => make("li", { class: "plain" },
        make("a", { class: "open", href: `${prefix}/${table.path}` }, table.table),
        make("p", { class: "soft" }, `${table.size}; asked: ${table.asked}`))));
    },
    read: (count) => {
      find("wait").hidden = count > 0;
      find("wait").textContent = "There are no runs here yet.";
      later();
    },
    fault: said,
  });
}

function showTable() {
  const columns = Number(body.dataset.columns);
  const rows = [...find("rows").children];
  const data = rows.map((row) => ({ head: row.firstElementChild.textContent.toLowerCase(), cells: [] }));
  body.style.setProperty("--columns", columns);
  let place = [0, 0];
  const cellAt = ([row, column]) => rows[row]?.children[column + 1];
  const go = (row, column, step) => {
    while (rows[row]?.hidden) row += step || 1;
    const cell = cellAt([row, column]);
    if (!cell) return;
    cellAt(place)?.setAttribute("tabindex", "-1");
    place = [row, column];
    cell.setAttribute("tabindex", "0");
    cell.focus();
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const step = (down, across) => () => go(place[0] + down, Math.min(Math.max(place[1] + across, 0), columns - 1), down);
  Object.assign(keys, {
    j: step(1, 0), ArrowDown: step(1, 0), k: step(-1, 0), ArrowUp: step(-1, 0),
    l: step(0, 1), ArrowRight: step(0, 1), h: step(0, -1), ArrowLeft: step(0, -1),
    Enter: () => open(cellAt(place)),
  });
  const open = (cell) => {
    if (!cell?.dataset.path) return;
    // The cells in sight, in order, for "previous" and "next" on the page of one.
    const shown = rows.filter((row) => !row.hidden)
      .flatMap((row) => [...row.children].map((each) => each.dataset.path).filter(Boolean));
    try { sessionStorage.setItem("cells", JSON.stringify(shown)); } catch { /* there is no room: no way onwards */ }
    location.href = `${prefix}/${cell.dataset.path}`;
  };
  find("rows").addEventListener("click", (event) => {
    const cell = event.target.closest("[role=gridcell]");
    if (!cell) return;
    place = [rows.indexOf(cell.parentElement), [...cell.parentElement.children].indexOf(cell) - 1];
    open(cell);
  });
  find("grid").addEventListener("focus", () => go(...place, 1));
  const apply = () => {
    let count = 0;
    data.forEach(({ head, cells }, at) => {
      const text = head + " " + cells.map((cell) => cell.text).join(" ");
      const kinds = cells.map((cell) => cell.kind);
      rows[at].hidden = !isWanted(text, kinds, cells.flatMap((cell) => cell.marks ?? []));
      count += rows[at].hidden ? 0 : 1;
    });
    find("count").textContent = `${count} of ${rows.length}`;
  };
  const later = onFilter(apply);
  const put = (element, cell) => {
    element.className = `cell ${cell.kind}`;
    element.replaceChildren(
      make("span", { class: "state" }, cell.state, cell.marks?.length ? ` ${signsOf(cell.marks)}` : ""),
      make("span", { class: "shown" }, cell.shown),
      make("span", { class: "place" }, cell.place ?? ""));
    if (cell.more?.length) element.title = cell.more.join("\n");
    if (cell.path) element.dataset.path = cell.path;
    if (!element.hasAttribute("tabindex")) element.setAttribute("tabindex", "-1");
  };
  follow(`${prefix}/tables/${encodeURIComponent(body.dataset.table)}/cells`, {
    row: ({ row, cells }) => {
      cells.forEach((cell, at) => put(rows[row].children[at + 1], cell));
      data[row].cells = cells.map((cell) => ({
        ...cell, text: [cell.shown, cell.state, cell.place, ...(cell.more ?? [])].join(" ").toLowerCase(),
      }));
      later();
    },
    gone: () => said("The table is gone."),
    fault: said,
  });
}

function showRun() {
  const address = `${prefix}/${body.dataset.path}`;
  const sheet = find("sheet");
  let known = { quotes: [], pages: 0, missing: "" };
  let page = 0;
  let chosen = 0;

  const about = (number) => known.quotes.find((quote) => quote.id === number);
  const words = (text) => sheet.replaceChildren(make("p", { class: "soft" }, text));

  async function choose(number) {
    const quote = about(number);
    if (!quote) return;
    chosen = number;
    document.querySelectorAll("figure.chosen").forEach((figure) => figure.classList.remove("chosen"));
    find(`quote-${number}`)?.classList.add("chosen");
    if (quote.drawn) return turn(quote.page);
    try {
      const found = await get(`${address}/words/${number}`);
      const mark = make("mark", {}, found.quoted);
      sheet.replaceChildren(make("div", { class: "paper" }, found.before, mark, found.after));
      find("pager").hidden = false;
      find("where").textContent = quote.place;
      mark.scrollIntoView({ block: "center" });
    } catch (error) { words(known.missing || error.message); }
  }

  async function turn(number) {
    if (number < 1 || number > known.pages) return;
    page = number;
    find("pager").hidden = false;
    find("where").textContent = `page ${number} of ${known.pages}`;
    try {
      const drawn = await get(`${address}/pages/${number}`);
      if (page !== number) return;
      const picture = make("img", {
        src: `${address}/pages/${number}/picture`, width: drawn.width, height: drawn.height, alt: `Page ${number} of the document`,
      });
      const boxes = Object.entries(drawn.lines).flatMap(([quote, lines]) => lines.map(([left, top, right, bottom]) => {
        const box = make("span", { class: Number(quote) === chosen ? "box chosen" : "box", title: `Quote ${quote}` });
        Object.assign(box.style, {
          left: `${100 * left}%`, top: `${100 * top}%`,
          width: `${100 * (right - left)}%`, height: `${100 * (bottom - top)}%`,
        });
        return box;
      }));
      sheet.replaceChildren(make("div", { class: "paper drawn" }, picture, ...boxes));
      (sheet.querySelector(".box.chosen") ?? picture).scrollIntoView({ block: "nearest" });
    } catch (error) { words(error.message); }
  }

  const step = (by) => {
    const ids = known.quotes.map((quote) => quote.id);
    const at = ids.indexOf(chosen);
    const next = ids[Math.min(Math.max(at + by, 0), ids.length - 1)];
    if (next) { choose(next); find(`quote-${next}`)?.scrollIntoView({ block: "center" }); }
  };
  const other = (by) => {
    let cells = [];
    try { cells = JSON.parse(sessionStorage.getItem("cells") ?? "[]"); } catch { /* none is known */ }
    const next = cells[cells.indexOf(body.dataset.path) + by];
    if (cells.includes(body.dataset.path) && next) location.href = `${prefix}/${next}`;
  };
  Object.assign(keys, {
    j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
    "[": () => turn(page - 1), "]": () => turn(page + 1), p: () => other(-1), n: () => other(1),
    c: () => review("confirmed", 0), w: () => review("wrong", 0), e: () => review("corrected", 0),
  });
  find("before").addEventListener("click", () => turn(page - 1));
  find("after").addEventListener("click", () => turn(page + 1));
  find("answer").addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#quote-']");
    const figure = event.target.closest("figure[id^=quote-]");
    if (link) choose(Number(link.hash.slice("#quote-".length)));
    else if (figure && !event.target.closest("summary, a, button")) choose(Number(figure.id.slice("quote-".length)));
    const button = event.target.closest("button[data-mark]");
    if (button) review(button.dataset.mark, Number(button.closest("[data-claim]").dataset.claim));
  });

  // A review asks for a note, and for what is right; an empty name is never sent.
  function review(mark, claim) {
    if (body.dataset.running === "yes") return;
    document.querySelector("form.review")?.remove();
    const place = document.querySelector(`.marks[data-claim="${claim}"]`);
    const field = (label, value) => {
      const input = make("input", { type: "text", autocomplete: "off" });
      input.value = value;
      return [make("label", {}, `${label} `, input), input];
    };
    const [right, correction] = field("What is right", "");
    const [why, note] = field("Note", "");
    const [who, by] = field("Your name", remembered());
    const form = make("form", { class: "review tools" },
      make("b", {}, claim ? `Claim ${claim}: ${mark}` : `The answer: ${mark}`),
      mark === "corrected" ? right : null, why, who,
      make("button", { type: "submit" }, "Keep"), make("button", { type: "button", class: "cancel" }, "Cancel"));
    form.querySelector(".cancel").addEventListener("click", () => form.remove());
    form.addEventListener("keydown", (event) => { if (event.key === "Escape") form.remove(); });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        const value = { mark, claim, correction: correction.value, note: note.value, by: by.value };
        await send(`${address}/reviews`, value);
        remember(by.value);
        form.remove();
        await refresh();
        said("Kept.");
      } catch (error) { said(error.message); }
    });
    place.after(form);
    (mark === "corrected" ? correction : note).focus();
  }
  const remembered = () => { try { return localStorage.getItem("name") ?? body.dataset.reviewer; } catch { return body.dataset.reviewer; } };
  const remember = (name) => { try { localStorage.setItem("name", name); } catch { /* it is asked for again */ } };

  function addMarks() {
    for (const claim of document.querySelectorAll("#answer article.claim")) {
      const number = claim.getAttribute("aria-labelledby").slice("claim-".length);
      const marks = document.querySelector(".marks").cloneNode(true);
      marks.dataset.claim = number;
      marks.setAttribute("aria-label", `Your review of claim ${number}`);
      claim.querySelector(".head").append(marks);
    }
  }

  async function refresh() {
    const answer = await fetch(`${address}?part=answer`);
    if (!answer.ok) return;
    // Its scripts would not run: the policy of the page admits files of ours alone.
    const made = new DOMParser().parseFromString(await answer.text(), "text/html");
    const open = [...document.querySelectorAll("#answer details[open] > summary")].map((item) => item.textContent);
    find("answer").replaceChildren(...made.body.childNodes);
    for (const summary of document.querySelectorAll("#answer summary")) {
      summary.parentElement.open = open.includes(summary.textContent);
    }
    if (body.dataset.running === "no") addMarks();
    await load();
  }

  async function load() {
    try { known = await get(`${address}/quotes`); } catch (error) { words(error.message); return; }
    if (chosen) choose(chosen);
    else if (known.quotes.length) choose(known.quotes[0].id);
    else if (known.missing) words(known.missing);
    else if (body.dataset.running === "yes") words("Nothing is quoted yet.");
    else if (known.pages) turn(1);
    else words("Nothing was quoted.");
  }

  find("ask")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const question = find("question").value.trim();
    if (!question) return;
    said("Asking …");
    try { location.href = `${prefix}/${(await send(`${address}/ask`, { question })).path}`; } catch (error) { said(error.message); }
  });

  follow(`${address}/changes`, {
    changed: ({ running }) => {
      body.dataset.running = running ? "yes" : "no";
      if (!document.querySelector("form.review")) refresh();
    },
    gone: () => said("The run is gone."),
    fault: said,
  });
  if (body.dataset.running === "no") addMarks();
  load();
}

({ home: showHome, table: showTable, run: showRun })[body.dataset.page]?.();
