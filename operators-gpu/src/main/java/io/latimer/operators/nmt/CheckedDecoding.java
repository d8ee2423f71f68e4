package io.latimer.operators.nmt;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.text.KeptSpan;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.TextPipeline;
import io.latimer.operators.text.numbers.NumberLanguage;
import io.latimer.operators.text.terms.Terminology;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Decodes sentences, and checks the numbers and terms of their translations. A sentence whose
 * translation lacks some is decoded again without them, and they are put in their places, so that
 * they are there, whatever the model does. If others are lost then, they are hidden, too. Long
 * numbers are hidden from the start, if the model itself says where they belong. Numbers in words
 * are put back only where the model itself says where they belong: attention is too coarse for what
 * is no more than a word among words.
 */
final class CheckedDecoding {
  /** After it, what is lost is only reported. */
  private static final int MOST_ROUNDS = 4;

  /** Sentences per thread and step. */
  private static final int SHARE = 16;

  private final TextPipeline pipeline;
  private final BatchOperator<SourceSentence, Decoded> decode;
  private final Safeguards safeguards;
  private final Terminology terminology;
  private final Team team;

  /**
   * @param decode closed by its owner
   */
  CheckedDecoding(
      TextPipeline pipeline,
      BatchOperator<SourceSentence, Decoded> decode,
      Safeguards safeguards,
      Terminology terminology,
      Team team) {
    this.pipeline = pipeline;
    this.decode = decode;
    this.safeguards = safeguards;
    this.terminology = terminology;
    this.team = team;
  }

  /** A sentence and its translation. */
  static final class Checked {
    private final SourceSentence original;
    private final Terminology terms; // of its record
    private final TreeMap<Integer, KeptSpan> hidden = new TreeMap<>();
    private final Set<TranslationFlag> flags = EnumSet.noneOf(TranslationFlag.class);
    private List<KeptSpan> kept; // once it is checked, as what it needs
    private SentenceNeeds needs;
    private boolean hiddenFirst; // whether numbers were hidden before anything was decoded
    private Attempt assembled; // what came of that, if the model lost their masks
    private SourceSentence next; // to be decoded; null if there is nothing more to try
    private SourceSentence sentence; // of the result
    private Result<Decoded> decoded;
    private TextPipeline.Restored restored;

    /**
     * @param sentence has tokens
     * @param terms of its record, which count before those of the glossary
     */
    Checked(SourceSentence sentence, Terminology terms) {
      this.original = sentence;
      this.terms = terms;
      this.next = sentence;
    }

    /** Takes a result; the one before it counts if this one is a failure. */
    private void take(Result<Decoded> result) {
      if (result instanceof Result.Failure<Decoded> && decoded != null) {
        next = null;
        return;
      }
      sentence = next;
      decoded = result;
      restored = null;
    }

    /** The sentence without what was hidden from the model. */
    SourceSentence sentence() {
      return sentence;
    }

    /** Null if the model saw nothing of it. */
    Result<Decoded> decoded() {
      return decoded;
    }

    /** The text of the best hypothesis; null without one. */
    String text() {
      return restored == null ? null : restored.text();
    }

    Set<TranslationFlag> flags() {
      return flags;
    }
  }

  /** A result that may be taken back. */
  private record Attempt(
      SourceSentence sentence,
      Result<Decoded> decoded,
      TextPipeline.Restored restored,
      TreeMap<Integer, KeptSpan> hidden) {
    static Attempt of(Checked one) {
      return new Attempt(one.sentence, one.decoded, one.restored, new TreeMap<>(one.hidden));
    }

    void takeBack(Checked one) {
      one.sentence = sentence;
      one.decoded = decoded;
      one.restored = restored;
      one.hidden.putAll(hidden);
      one.assembled = null;
    }
  }

  /** Decodes and checks sentences. */
  void decode(List<Checked> all) {
    if (pipeline.masks() > 0 && safeguards.numbers()) {
      team.forEach(all.size(), SHARE, i -> alone(all.get(i), this::hideLongNumbers));
    }
    List<Checked> open = undecided(all);
    for (int round = 1; !open.isEmpty(); round++) {
      decodeOnce(open);
      List<Checked> checked = open;
      boolean last = round == MOST_ROUNDS;
      team.forEach(checked.size(), SHARE, i -> alone(checked.get(i), one -> check(one, last)));
      open = undecided(checked);
    }
  }

  private static List<Checked> undecided(List<Checked> all) {
    return all.stream().filter(one -> one.next != null).toList();
  }

  /** A model reads a long number digit by digit, and loses some: it is quicker and safer hidden. */
  private void hideLongNumbers(Checked one) {
    if (one.original.hasPrefix() || !NumberLanguage.hasDigits(one.original.raw())) {
      return;
    }
    findNeeds(one);
    List<KeptSpan> numbers = one.needs.longNumbers();
    if (!numbers.isEmpty() && one.kept.size() + numbers.size() <= pipeline.masks()) {
      hide(one, numbers);
      one.hiddenFirst = true;
    }
  }

  private void findNeeds(Checked one) {
    one.kept = pipeline.kept(one.original, safeguards.keep());
    one.needs = SentenceNeeds.of(one.original, one.kept, safeguards, one.terms, terminology);
  }

  private void hide(Checked one, List<KeptSpan> more) {
    more.forEach(span -> one.hidden.put(span.start(), span));
    List<KeptSpan> hidden = new ArrayList<>(one.kept);
    hidden.addAll(one.hidden.values());
    hidden.sort(Comparator.comparingInt(KeptSpan::start));
    one.next = pipeline.hide(one.original, hidden);
  }

  private void decodeOnce(List<Checked> open) {
    List<Checked> decoded = open.stream().filter(one -> !one.next.isEmpty()).toList();
    open.stream().filter(one -> one.next.isEmpty()).forEach(one -> one.take(null));
    List<Result<Decoded>> results = decode.apply(decoded.stream().map(one -> one.next).toList());
    for (int i = 0; i < decoded.size(); i++) {
      decoded.get(i).take(results.get(i));
    }
  }

  /** An error that a sentence triggers must not fail the others. */
  private static void alone(Checked one, Consumer<Checked> step) {
    try {
      step.accept(one);
    } catch (OperatorException e) {
      throw e;
    } catch (RuntimeException e) {
      one.next = null;
      one.decoded =
          Result.failure(new RecordException("the translation cannot be checked: " + e, e));
    }
  }

  private void check(Checked one, boolean last) {
    boolean gaveUp = last || one.next == null || one.original.hasPrefix();
    one.next = null;
    if (!(one.decoded instanceof Result.Value<Decoded> value)) {
      return; // nothing to check, or only what was put in
    }
    Hypothesis best = value.value().best();
    one.restored = pipeline.restored(one.sentence, best.ids(), best.attention());
    if (one.needs == null) {
      findNeeds(one);
    }
    if (one.hiddenFirst && one.restored.assembled()) { // the model sees the numbers after all
      one.hiddenFirst = false;
      one.assembled = Attempt.of(one);
      one.hidden.clear();
      one.next = one.original;
      return;
    }
    settle(one, gaveUp);
  }

  /** Decides whether a translation is taken, or what is tried next. */
  private void settle(Checked one, boolean gaveUp) {
    String line = one.restored.line();
    SentenceNeeds.Unmet unmet = one.needs.check(line, pipeline.masks() > 0);
    List<KeptSpan> lacking =
        unmet.lacking().stream().filter(span -> !one.hidden.containsKey(span.start())).toList();
    boolean taken = lacking.isEmpty() || gaveUp;
    if (one.assembled != null && (gaveUp || !taken)) {
      one.assembled.takeBack(one);
      settle(one, gaveUp);
    } else if (taken) {
      one.flags.addAll(unmet.flags());
      one.flags.addAll(OutputDoubts.of(one.original, line));
      if (!one.hidden.isEmpty() && one.restored.assembled()) {
        one.flags.add(TranslationFlag.ASSEMBLED);
      }
    } else {
      hide(one, lacking);
    }
  }
}
