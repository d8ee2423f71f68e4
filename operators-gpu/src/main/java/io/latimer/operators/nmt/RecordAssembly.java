package io.latimer.operators.nmt;

import io.latimer.operators.nmt.Translated.AlignmentPoint;
import io.latimer.operators.nmt.Translated.Alternative;
import io.latimer.operators.nmt.Translated.Timings;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.model.QualityFeature;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.TextPipeline;
import io.latimer.operators.text.TextSpan;
import io.latimer.operators.text.TextWords;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/** Assembles the translation of one record, sentence by sentence. */
final class RecordAssembly {
  private static final Comparator<Combination> BEST_FIRST =
      Comparator.comparingDouble(Combination::normalized).reversed();

  /**
   * A choice of one hypothesis for each sentence so far; scores are sums.
   *
   * @param before the choice for the previous sentences; null for none
   * @param choice for the last sentence; null before the first
   */
  private record Combination(Combination before, Choice choice, double score, double normalized) {}

  /**
   * One translation of a sentence.
   *
   * @param spans of its tokens in the text; empty unless the alignment is requested
   * @param hypothesis null if the decoder read no tokens of the sentence
   */
  private record Choice(String text, List<TextSpan> spans, Hypothesis hypothesis) {
    static Choice withoutTokens(String text) {
      return new Choice(text, List.of(), null);
    }
  }

  private final TextPipeline pipeline;
  private final TranslatedParts parts;
  private final Translate.Model model;
  private final List<SourceSentence> sentences = new ArrayList<>();
  private List<Combination> combinations;
  private int decoded;
  private int sourceTokens;
  private int targetTokens;
  private int remembered;
  private final Set<TranslationFlag> flags = EnumSet.noneOf(TranslationFlag.class);
  private final List<Remembered> taught = new ArrayList<>();
  private final List<Translated.Similar> similar = new ArrayList<>();
  private List<Alternative> list;
  private OptionalDouble quality = OptionalDouble.empty();

  /**
   * Starts a record.
   *
   * @param model that translates it, into its target language if there are no sentences
   */
  RecordAssembly(TextPipeline pipeline, TranslatedParts parts, Translate.Model model) {
    this.pipeline = pipeline;
    this.parts = parts;
    this.model = model;
    this.combinations = List.of(new Combination(null, null, 0, 0));
  }

  /**
   * Adds the next sentence.
   *
   * @param result null for a sentence without tokens for the model
   * @param best the text of the best hypothesis; null if it is not known
   * @param doubts what is doubtful about it
   */
  void add(SourceSentence sentence, Decoded result, String best, Set<TranslationFlag> doubts) {
    sentences.add(sentence);
    flags.addAll(doubts);
    if (result == null) {
      String text = pipeline.restore(sentence, new int[0], null);
      combinations = combine(List.of(new Combination(null, Choice.withoutTokens(text), 0, 0)));
      return;
    }
    decoded++;
    List<Combination> choices = new ArrayList<>();
    for (Hypothesis hypothesis : result.nBest()) {
      choices.add(
          new Combination(
              null,
              choice(sentence, hypothesis, choices.isEmpty() ? best : null),
              hypothesis.score(),
              hypothesis.normalizedScore()));
    }
    OptionalDouble judged = judged(sentence, result, choices.get(0).choice());
    if (judged.isPresent()) { // a record is no better than its worst sentence
      quality = OptionalDouble.of(Math.min(quality.orElse(1), judged.getAsDouble()));
    }
    combinations = combine(choices);
    sourceTokens += sentence.length();
    targetTokens += result.best().ids().length;
  }

  /**
   * @param known its text, if it is known
   */
  private Choice choice(SourceSentence sentence, Hypothesis hypothesis, String known) {
    if (parts.alignment()) {
      TextPipeline.Restored restored =
          pipeline.restoreWithSpans(sentence, hypothesis.ids(), hypothesis.attention());
      return new Choice(restored.text(), restored.spans(), hypothesis);
    }
    String text =
        known == null
            ? pipeline.restore(sentence, hypothesis.ids(), hypothesis.attention())
            : known;
    return new Choice(text, List.of(), hypothesis);
  }

  private OptionalDouble judged(SourceSentence sentence, Decoded result, Choice best) {
    Hypothesis hypothesis = best.hypothesis();
    boolean searched = !sentence.hasPrefix(); // words that are given have no probabilities
    if (!searched || !sentence.hasOwnWords(best.text())) {
      return OptionalDouble.empty();
    }
    boolean measurable = hypothesis.wordScores() != null && hypothesis.attention() != null;
    if (parts.judge().isPresent() && measurable) {
      Map<QualityFeature, Double> measured = Measured.of(sentence, hypothesis, best.text());
      return OptionalDouble.of(parts.judge().get().probability(measured));
    }
    return result.quality();
  }

  /**
   * Adds the next sentence, whose translation is remembered; its score is 0, the best there is.
   *
   * @param found its translation, with its frame
   * @param count how many sentences that is the translation of, this one being the first
   */
  void remember(SourceSentence sentence, Remembered found, int count) {
    sentences.add(sentence);
    Choice choice = Choice.withoutTokens(found.text());
    combinations = combine(List.of(new Combination(null, choice, 0, 0)));
    remembered += count;
    if (found.isTaught()) {
      taught.add(found);
    }
  }

  /** Adds known sentences that are similar to one of the record. */
  void similar(int sentence, List<SimilarSentence> known) {
    known.forEach(one -> similar.add(new Translated.Similar(sentence, one)));
  }

  /** Keeps the n best. Sufficient, because the best overall are among the best of all prefixes. */
  private List<Combination> combine(List<Combination> choices) {
    List<Combination> all = new ArrayList<>(combinations.size() * choices.size());
    for (Combination before : combinations) {
      for (Combination choice : choices) {
        all.add(
            new Combination(
                before,
                choice.choice(),
                before.score() + choice.score(),
                before.normalized() + choice.normalized()));
      }
    }
    all.sort(BEST_FIRST); // a list always has scores; without scores there is only one combination
    return List.copyOf(all.subList(0, Math.min(parts.nBest(), all.size())));
  }

  private List<Choice> choices(Combination last) {
    List<Choice> choices = new ArrayList<>(sentences.size());
    Combination at = last;
    for (int i = 0; i < sentences.size(); i++) {
      choices.add(at.choice());
      at = at.before();
    }
    Collections.reverse(choices);
    return choices;
  }

  /**
   * Completes the record; call it after adding all sentences.
   *
   * @param record the raw text of the record
   */
  void finish(String record) {
    list = new ArrayList<>(combinations.size());
    TextWords sourceWords = parts.alignment() ? TextWords.of(record) : null;
    List<List<TextSpan>> sourceSpans =
        parts.alignment() ? pipeline.sourceSpans(record, sentences) : null;
    for (Combination combination : combinations) {
      List<Choice> choices = choices(combination);
      List<String> texts = choices.stream().map(Choice::text).toList();
      String text = pipeline.rejoin(sentences, texts);
      list.add(
          new Alternative(
              text,
              combination.score(),
              combination.normalized() / Math.max(1, decoded),
              parts.alignment()
                  ? align(
                      choices, pipeline.offsets(sentences, texts), text, sourceWords, sourceSpans)
                  : List.of()));
    }
  }

  /**
   * The alignment of one translation of the record.
   *
   * @param choices one per sentence
   * @param offsets start of each sentence's text in the record's text
   */
  private List<AlignmentPoint> align(
      List<Choice> choices,
      int[] offsets,
      String text,
      TextWords sourceWords,
      List<List<TextSpan>> sourceSpans) {
    List<AlignmentPoint> points = new ArrayList<>();
    TextWords targetWords = TextWords.of(text);
    int sourceOffset = 0;
    int targetOffset = 0;
    for (int i = 0; i < sentences.size(); i++) {
      SourceSentence sentence = sentences.get(i);
      Hypothesis hypothesis = choices.get(i).hypothesis();
      int tokens = sentence.tokens().size();
      if (hypothesis == null || tokens == 0) {
        continue;
      }
      List<TextSpan> spans = choices.get(i).spans();
      int rows = hypothesis.ended() ? hypothesis.ids().length - 1 : hypothesis.ids().length;
      for (int row = 0; row < rows; row++) {
        float[] weights = hypothesis.attention()[row];
        int source = strongest(weights, tokens);
        TextSpan sourceSpan = sourceSpans.get(i).get(source);
        TextSpan targetSpan = spans.get(row).moved(offsets[i]);
        points.add(
            new AlignmentPoint(
                sourceOffset + source,
                targetOffset + row,
                Math.min(1, Math.max(0, weights[source])),
                sourceSpan,
                targetSpan,
                sourceWords.wordOf(sourceSpan),
                targetWords.wordOf(targetSpan)));
      }
      sourceOffset += tokens;
      targetOffset += rows;
    }
    return points;
  }

  private static int strongest(float[] weights, int tokens) {
    int source = 0;
    for (int i = 1; i < tokens; i++) {
      source = weights[i] > weights[source] ? i : source;
    }
    return source;
  }

  /** The record's translation; call {@link #finish} first. */
  Translated translated(Timings timings) {
    Alternative best = list.get(0);
    return new Translated(
        best.text(),
        sentences.isEmpty() ? model.targetLanguage() : sentences.get(0).targetLanguage(),
        parts.scores() ? best.score() : Double.NaN,
        parts.scores() ? best.normalizedScore() : Double.NaN,
        parts.nBest() > 1 ? list : List.of(),
        best.alignment(),
        timings,
        sourceTokens,
        targetTokens,
        remembered,
        taught,
        similar,
        flags,
        quality,
        Optional.of(model));
  }
}
