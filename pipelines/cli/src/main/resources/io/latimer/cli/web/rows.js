// The list of records: a bounded number of rows, newest first.

import { count, element, milliseconds } from "./graphs.js";

/** Rows that the page keeps. */
export const MOST = 200;
const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

export function language(tag) {
  return /^[A-Za-z0-9-]{1,35}$/.test(tag ?? "") ? tag : "";
}

/** A text of the feed in its own language and direction. */
export function text(content, tag, className) {
  return element("span", { className: "text " + className, dir: "auto", lang: language(tag) }, content);
}

/** The checks and scores of what the record says in the end. */
export function verdictsOf(record, kind) {
  const own = record[kind] ?? [];
  const best = record.alternatives?.[0];
  return own.length > 0 || !best ? own : best[kind];
}

/** What the flags of a translation say. */
const DOUBTS = {
  numbers: "numbers differ",
  terms: "term of the glossary missing",
  assembled: "number or term put back",
  loop: "repeats itself",
  "too-long": "much longer than its source",
  "too-short": "much shorter than its source",
  copied: "not translated",
  "already-translated": "was in the target language",
  "other-language": "in another language, not translated",
  "output-language": "translation in another language",
};

export function doubts(record) {
  return (record.flags ?? []).map((flag) => DOUBTS[flag] ?? flag);
}

/** How usual a text is for a language model that hesitates between so many words at each word. */
export function wording(perplexity) {
  return perplexity <= 100 ? "usual wording" : perplexity <= 1000 ? "unusual wording" : "very unusual wording";
}

/** Probabilities at which a translation is probably right, and probably wrong. */
const SURE = 0.8;
const UNSURE = 0.5;

/** How sure the model is of a translation, in words and as the class of a tag; null if it does not say. */
export function certainty(quality) {
  if (!Number.isFinite(quality)) {
    return null;
  }
  const percent = Math.round(100 * quality) + " % sure";
  return { className: quality >= SURE ? "good" : quality < UNSURE ? "bad" : "", content: percent };
}

/** @param corrected how the record uses corrections of this page; empty if it does not */
function tags(record, corrected) {
  const tags = [];
  const tag = (className, content) => tags.push(element("span", { className: "tag " + className }, content));
  if (record.own) {
    tag("", "sent from this page");
  }
  if (corrected) {
    tag("used", corrected);
  }
  const sure = certainty(record.quality);
  if (sure) {
    tag(sure.className, sure.content);
  }
  for (const doubt of doubts(record)) {
    tag("bad", doubt);
  }
  for (const check of verdictsOf(record, "checks")) {
    tag(check.derivable ? "good" : "", check.derivable ? "in the grammar" : "outside the grammar");
  }
  for (const score of verdictsOf(record, "scores").filter((one) => Number.isFinite(one.perplexity))) {
    tag("", wording(score.perplexity));
  }
  return tags;
}

export class Rows {
  /**
   * @param list the ordered list
   * @param chosen called with a record at which the reader points, and whether the reader has asked for it
   * @param changed called when what is shown has changed
   */
  constructor(list, chosen, changed) {
    this.list = list;
    this.chosen = chosen;
    this.changed = changed;
    this.waiting = [];
    this.dropped = 0;
    this.query = "";
    this.paused = false;
    this.pointed = false;
    this.focused = false;
    this.current = null;
    list.addEventListener("pointerenter", (event) => this.hold("pointed", event.pointerType === "mouse"));
    list.addEventListener("pointerleave", () => this.hold("pointed", false));
    list.addEventListener("focusin", () => this.hold("focused", true));
    list.addEventListener("focusout", (event) => this.hold("focused", list.contains(event.relatedTarget)));
    list.addEventListener("keydown", (event) => this.key(event));
  }

  /** Whether new records wait, so that rows do not move under the reader's eyes. */
  get held() {
    return this.paused || this.pointed || this.focused;
  }

  hold(reason, value) {
    this[reason] = value;
    if (!this.held) {
      this.release();
    }
    this.changed();
  }

  /** Takes a record. */
  add(record, corrected) {
    if (this.held) {
      this.waiting.push([record, corrected]);
      if (this.waiting.length > MOST) {
        this.waiting.shift();
        this.dropped++;
      }
    } else {
      this.insert(record, corrected);
    }
    this.changed();
  }

  /** Shows the records that have waited. */
  release() {
    const waiting = this.waiting;
    this.waiting = [];
    this.dropped = 0;
    for (const [record, corrected] of waiting) {
      this.insert(record, corrected);
    }
    this.changed();
  }

  insert(record, corrected) {
    const row = this.row(record, corrected);
    const item = element("li", {}, row);
    item.words = [record.source, record.translation, record.refused?.message, record.feed, record.id]
      .join("\n").toLowerCase();
    item.hidden = !item.words.includes(this.query);
    this.list.prepend(item);
    while (this.list.children.length > MOST) {
      const last = this.list.lastElementChild;
      if (last.firstElementChild === this.current) {
        this.current = null;
      }
      last.remove();
    }
    this.tab();
  }

  row(record, corrected) {
    const row = element("button", { type: "button", className: "record", tabIndex: -1 },
      element("span", { className: "meta" },
        element("span", {}, record.time ? clock.format(record.time) : ""),
        element("bdi", {}, record.feed || record.origin || ""),
        element("span", {}, milliseconds(record.latency)),
        ...tags(record, corrected)),
      text(record.source ?? "", record.language, "source"),
      record.refused
        ? text("Refused by " + record.refused.stage + ": " + record.refused.message, "en", "translation")
        : text(record.translation ?? "", record.target, "translation"));
    row.classList.toggle("own", Boolean(record.own));
    row.classList.toggle("refused", Boolean(record.refused));
    row.classList.toggle("learned", corrected !== "");
    const choose = () => this.choose(row, record, true);
    row.addEventListener("focus", choose);
    row.addEventListener("click", choose);
    row.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "mouse") {
        this.choose(row, record, false);
      }
    });
    return row;
  }

  choose(row, record, asked) {
    if (this.current !== row) {
      this.current?.removeAttribute("aria-current");
      this.current = row;
      row.setAttribute("aria-current", "true");
      this.tab();
    }
    this.chosen(record, asked);
    if (asked) {
      row.scrollIntoView({ block: "nearest" }); // the verdicts may have opened above it
    }
  }

  /** One row takes part in tabbing, the arrow keys lead to the others. */
  tab() {
    const rows = this.visible();
    const target = rows.includes(this.current) ? this.current : rows[0];
    if (this.tabbed !== target) {
      if (this.tabbed) {
        this.tabbed.tabIndex = -1;
      }
      this.tabbed = target;
    }
    if (target) {
      target.tabIndex = 0;
    }
  }

  visible() {
    return [...this.list.children].filter((item) => !item.hidden).map((item) => item.firstElementChild);
  }

  key(event) {
    const rows = this.visible();
    const at = rows.indexOf(document.activeElement);
    const to = {
      ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: rows.length - 1,
    }[event.key];
    if (at < 0 || to === undefined || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    event.preventDefault();
    rows[Math.max(0, Math.min(rows.length - 1, to))].focus();
  }

  search(query) {
    this.query = query.trim().toLowerCase();
    for (const item of this.list.children) {
      item.hidden = !item.words.includes(this.query);
    }
    this.tab();
    this.changed();
  }

  /** What is shown, in words. */
  describe(total, sampled, perSecond, lost) {
    const rows = this.list.children.length;
    if (rows === 0) {
      return "None yet.";
    }
    const shown = this.query
      ? this.visible().length + " of the " + rows + " records here match"
      : "Showing " + count(rows) + " of " + count(Math.max(total, rows));
    return shown + (sampled ? "; a sample, at most " + perSecond + " a second" : "")
      + (lost > 0 ? "; " + count(lost) + " lost, because this browser reads too slowly" : "") + ".";
  }
}
