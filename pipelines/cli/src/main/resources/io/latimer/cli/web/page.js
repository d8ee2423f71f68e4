// Connects the page to the job: events come in, sentences and corrections go out.

import { clear, count, element, statistics } from "./graphs.js";
import { Rows } from "./rows.js";
import { show } from "./verdicts.js";

const at = (id) => document.getElementById(id);
const corrections = new Map(); // those that this page has sent, by their ids
const own = new Set(); // keys of sentences that this page has sent
const early = new Map(); // records of such sentences, of any page, that come before the answer to sending
const MOST_SENT = 20;
let job = { perSecond: 20, write: false, topic: "", learning: [] };
let latest = { translated: 0, refused: 0, shown: 0 };
let lost = 0;
let chosen = null; // the record in the form of a correction

const rows = new Rows(at("records"), choose, describe);

/** Tells a screen reader and, for a moment, the eye. */
let toast = 0;
function say(message, seen = true) {
  at("status").textContent = message;
  if (seen) {
    at("message").textContent = message;
    at("message").hidden = false;
    clearTimeout(toast);
    toast = setTimeout(() => { at("message").hidden = true; }, 6000);
  }
}

function describe() {
  const total = latest.translated + latest.refused;
  at("shown").textContent = rows.describe(total, latest.shown < total, job.perSecond, lost);
  at("empty").hidden = at("records").children.length > 0;
  const waiting = rows.waiting.length;
  at("show-held").hidden = waiting === 0;
  at("show-held").textContent = "Show " + count(waiting) + (waiting === 1 ? " new record" : " new records")
    + (rows.dropped > 0 ? "; " + count(rows.dropped) + " older ones were dropped" : "");
}

/** Shows a record's verdicts; where they cover the list, only if the reader has asked for them. */
function choose(record, asked) {
  if (asked) {
    at("verdicts").classList.add("open");
  }
  show(at("verdict"), record, (id) => corrections.has(id));
  const learns = job.write && job.learning.length > 0 && record.source !== undefined;
  at("correcting").hidden = !learns;
  if (learns && !at("correct").contains(document.activeElement)) {
    chosen = record;
    at("correct-source").value = record.source;
    at("correct-target").value = record.translation ?? "";
  }
}

/** The corrections of this page that a record uses. */
function usedBy(record) {
  const mine = (all) => (all ?? []).filter((from) => corrections.has(from.id)).map((from) => from.id);
  const used = new Set(mine(record.corrections));
  for (const table of record.phrases ?? []) {
    for (const phrase of table.phrases) {
      for (const one of phrase.translations) {
        mine(one.corrections).forEach((id) => used.add(id));
      }
    }
  }
  return used;
}

function take(record) {
  const used = usedBy(record);
  const taught = (record.corrections ?? []).some((from) => used.has(from.id));
  for (const id of used) {
    const correction = corrections.get(id);
    correction.uses++;
    const whole = (record.corrections ?? []).some((from) => from.id === id);
    if (whole) {
      correction.after = record.translation;
    }
    if (correction.uses === 1) {
      say(whole ? "Your correction is used: " + record.source + " – " + record.translation
        : "Phrases of your correction are used: " + correction.source + " – " + correction.target);
    }
  }
  if (used.size > 0) {
    listCorrections();
  }
  rows.add(record, used.size === 0 ? "" : taught ? "uses a correction" : "phrases from a correction");
  if (own.delete(record.own)) {
    answered(record);
  } else if (record.own) {
    early.set(record.own, record);
    if (early.size > MOST_SENT) {
      early.delete(early.keys().next().value);
    }
  }
}

function answered(record) {
  say(record.refused ? "Your sentence was refused: " + record.refused.message
    : "Your sentence: " + record.source + " – " + (record.translation ?? "done"));
}

function listCorrections() {
  at("corrections").hidden = corrections.size === 0;
  at("sent").replaceChildren(...[...corrections.values()].reverse().slice(0, MOST_SENT).map((one) =>
    element("li", {}, element("bdi", {}, one.source), " – ",
      ...(one.before ? [element("del", {}, element("bdi", {}, one.before)), " "] : []),
      element(one.before ? "ins" : "span", {}, element("bdi", {}, one.after ?? one.target)), ": ",
      one.uses === 0 ? "sent, not used yet"
        : element("span", { className: "used" }, "used by " + count(one.uses)
          + (one.uses === 1 ? " record" : " records") + " shown here"))));
}

function begin(about) {
  job = about;
  at("job").textContent = job.name;
  document.title = job.name + " – Latimer";
  at("say").hidden = !job.write || !job.topic;
  at("read-only").hidden = job.write && Boolean(job.topic);
  at("read-only").textContent = job.write
    ? "Sentences cannot be sent: the job's source is no Kafka topic with a name."
    : "Read-only; --web-write lets this page send sentences and corrections.";
  at("correct-stage").replaceChildren(...job.learning.map((name) => element("option", {}, name)));
  describe();
}

function connection(text, className) {
  at("connection").textContent = text;
  at("connection").className = "badge " + className;
}

async function send(path, content) {
  const response = await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content),
  });
  const answer = await response.json();
  if (!response.ok) {
    throw new Error(answer.error);
  }
  return answer.id;
}

/** Sends a form, and leaves its text in place if that fails. */
function onSubmit(form, action) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    try {
      await action();
    } catch (error) {
      say("Not sent: " + error.message);
    } finally {
      button.disabled = false;
    }
  });
}

onSubmit(at("say"), async () => {
  const key = await send("api/sentences", { text: at("sentence").value });
  at("sentence").value = "";
  at("sentence").focus();
  const record = early.get(key);
  if (record) {
    answered(record);
  } else {
    own.add(key);
    say("Sent; its record will come.");
  }
});

onSubmit(at("correct"), async () => {
  const correction = {
    stage: at("correct-stage").value, source: at("correct-source").value, target: at("correct-target").value,
  };
  const before = chosen?.source === correction.source && chosen.translation !== correction.target
    ? chosen.translation : undefined;
  const id = await send("api/corrections", correction);
  corrections.set(id, { ...correction, before, uses: 0 });
  at("correcting").open = false;
  at("correcting").querySelector("summary").focus(); // the form is gone
  listCorrections();
  say("Correction sent; records that use it are marked.");
});

at("search").addEventListener("input", (event) => rows.search(event.target.value));
at("pause").addEventListener("click", () => {
  const paused = !rows.paused;
  at("pause").setAttribute("aria-pressed", String(paused));
  at("pause").textContent = paused ? "Continue" : "Pause";
  rows.hold("paused", paused);
  say(paused ? "Paused; new records wait." : "Records are shown again.", false);
});
at("show-held").addEventListener("click", () => {
  rows.release();
  at("pause").focus(); // this button is gone
});

/** Closes the verdicts where they cover the list; with the keyboard, the focus goes back there. */
function close(byKeyboard) {
  if (byKeyboard) {
    rows.current?.focus();
  } else {
    document.activeElement.blur();
  }
  at("verdicts").classList.remove("open");
}
at("close").addEventListener("click", (event) => close(event.detail === 0));
at("verdicts").addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    close(true);
  }
});
at("more").open = matchMedia("(min-width: 62.01rem)").matches;

const events = new EventSource("events");
const on = (type, action) => events.addEventListener(type, (event) => action(JSON.parse(event.data)));
on("job", (about) => {
  clear(); // its history follows
  connection("live", "good");
  begin(about);
});
on("statistics", (now) => {
  latest = now;
  statistics(now);
  describe();
});
on("record", take);
on("lost", (event) => {
  lost += event.records;
  describe();
});
on("end", () => {
  events.close();
  connection("the job has ended", "bad");
  say("The job has ended.");
});
events.addEventListener("error", () => {
  if (events.readyState === EventSource.CLOSED) {
    connection("no connection; reload the page", "bad");
    say("No connection. Reload the page.");
  } else {
    connection("connecting again", "bad");
  }
});
