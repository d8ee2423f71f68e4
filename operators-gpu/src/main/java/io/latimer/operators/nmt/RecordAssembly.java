package io.latimer.operators.nmt;

import io.latimer.operators.nmt.Translated.AlignmentPoint;
import io.latimer.operators.nmt.Translated.Alternative;
import io.latimer.operators.nmt.Translated.Timings;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.TextPipeline;
import io.latimer.operators.text.TextSpan;
import io.latimer.operators.text.TextWords;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** Puts the translated sentences of one record together, sentence by sentence. */
final class RecordAssembly {
  private static final Comparator<Combination> BEST_FIRST =
      Comparator.comparingDouble(Combination::normalized).reversed();

  /**
   * One choice of a hypothesis for each sentence so far; scores are sums.
   *
   * @param before the choice for the sentences before; null for none
   * @param text of the last sentence
   */
  private record Combination(Combination before, String text, double score, double normalized) {}

  /**
   * What the alignment of a sentence needs.
   *
   * @param best null where the model saw nothing
   * @param spans of its tokens in the sentence's text
   */
  private record Aligned(Hypothesis best, List<TextSpan> spans) {}

  private final TextPipeline pipeline;
  private final TranslateOptions options;
  private final List<SourceSentence> sentences = new ArrayList<>();
  private final List<Aligned> aligned = new ArrayList<>();
  private List<Combination> combinations;
  private int decoded;
  private int sourceTokens;
  private int targetTokens;
  private List<AlignmentPoint> alignment = List.of();
  private List<Alternative> list;

  RecordAssembly(TextPipeline pipeline, TranslateOptions options) {
    this.pipeline = pipeline;
    this.options = options;
    this.combinations = List.of(new Combination(null, "", 0, 0));
  }

  /**
   * Adds the next sentence.
   *
   * @param result null for a sentence of which the model saw nothing
   */
  void add(SourceSentence sentence, Decoded result) {
    sentences.add(sentence);
    if (result == null) {
      String text = pipeline.restore(sentence, new int[0], null);
      combinations = combine(List.of(new Combination(null, text, 0, 0)));
      aligned.add(new Aligned(null, List.of()));
      return;
    }
    decoded++;
    List<Combination> choices = new ArrayList<>();
    for (Hypothesis hypothesis : result.nBest()) {
      String text = pipeline.restore(sentence, hypothesis.ids(), hypothesis.attention());
      choices.add(new Combination(null, text, hypothesis.score(), hypothesis.normalizedScore()));
    }
    combinations = combine(choices);
    Hypothesis best = result.best();
    sourceTokens += sentence.length();
    targetTokens += best.ids().length;
    if (options.search().alignment()) {
      aligned.add(
          new Aligned(
              best, pipeline.restoreWithSpans(sentence, best.ids(), best.attention()).spans()));
    }
  }

  /** Keeps the n best: the best of all sentences so far are among the best of all but the last. */
  private List<Combination> combine(List<Combination> choices) {
    List<Combination> all = new ArrayList<>(combinations.size() * choices.size());
    for (Combination before : combinations) {
      for (Combination choice : choices) {
        all.add(
            new Combination(
                before,
                choice.text(),
                before.score() + choice.score(),
                before.normalized() + choice.normalized()));
      }
    }
    all.sort(BEST_FIRST); // a list has scores; without scores there is one combination
    return List.copyOf(all.subList(0, Math.min(options.search().nBest(), all.size())));
  }

  private List<String> texts(Combination last) {
    List<String> texts = new ArrayList<>(sentences.size());
    Combination at = last;
    for (int i = 0; i < sentences.size(); i++) {
      texts.add(at.text());
      at = at.before();
    }
    Collections.reverse(texts);
    return texts;
  }

  /**
   * To be called when all sentences are added.
   *
   * @param record the raw text of the record
   */
  void finish(String record) {
    list = new ArrayList<>(combinations.size());
    for (Combination combination : combinations) {
      list.add(
          new Alternative(
              pipeline.rejoin(sentences, texts(combination)),
              combination.score(),
              combination.normalized() / Math.max(1, decoded)));
    }
    if (options.search().alignment()) {
      alignment = align(record, texts(combinations.get(0)));
    }
  }

  private List<AlignmentPoint> align(String record, List<String> best) {
    List<AlignmentPoint> points = new ArrayList<>();
    TextWords sourceWords = TextWords.of(record);
    TextWords targetWords = TextWords.of(pipeline.rejoin(sentences, best));
    List<List<TextSpan>> sourceSpans = pipeline.sourceSpans(record, sentences);
    int[] offsets = pipeline.offsets(sentences, best);
    int sourceOffset = 0;
    int targetOffset = 0;
    for (int i = 0; i < sentences.size(); i++) {
      Hypothesis hypothesis = aligned.get(i).best();
      int tokens = sentences.get(i).tokens().size();
      if (hypothesis == null || tokens == 0) {
        continue;
      }
      int rows = hypothesis.ended() ? hypothesis.ids().length - 1 : hypothesis.ids().length;
      for (int row = 0; row < rows; row++) {
        float[] weights = hypothesis.attention()[row];
        int source = strongest(weights, tokens);
        TextSpan sourceSpan = sourceSpans.get(i).get(source);
        TextSpan targetSpan = aligned.get(i).spans().get(row).moved(offsets[i]);
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

  /** The record's translation; {@link #finish} has been called. */
  Translated translated(Timings timings) {
    Alternative best = list.get(0);
    return new Translated(
        best.text(),
        options.search().scores() ? best.score() : Double.NaN,
        options.search().scores() ? best.normalizedScore() : Double.NaN,
        options.search().nBest() > 1 ? list : List.of(),
        alignment,
        timings,
        sourceTokens,
        targetTokens);
  }
}
