package io.latimer.operators.smt;

import io.latimer.operators.Result;
import io.latimer.operators.lm.LmSentence;
import io.latimer.operators.lm.WordScores;
import io.latimer.operators.lm.model.LmState;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The search for the translations of one sentence: a stack of partial translations for each number
 * of translated source words (Koehn 2004, "Pharaoh: A Beam Search Decoder for Phrase-Based
 * Statistical Machine Translation Models"). Each stack takes the most promising extensions of the
 * stacks before it, asks the language model for all of them at once, recombines those that no later
 * step tells apart, and keeps the most promising.
 *
 * <p>It goes in steps, so that one call of the language model serves the searches of many
 * sentences. Not thread-safe.
 */
final class StackSearch {
  private static final int[] NO_WORDS = {};

  private final Choice[][][] choices; // per word, and number of words less one
  private final int words;
  private final SearchOptions options;
  private final FeatureWeights weights;
  private final double lmWeight;
  private final double distortionWeight;
  private final FutureScores future;
  private final LmContexts contexts = new LmContexts();
  private final ContextScores scores = new ContextScores();
  private final Partials partials = new Partials();
  private final int[][] stacks; // by coverage, the most promising first

  // of the step under way
  private final Frontier frontier = new Frontier();
  private int[] extended = new int[64];
  private int[] froms = new int[64];
  private Choice[] chosen = new Choice[64];
  private int[] places = new int[64];
  private int size;
  private int known; // number of scores before the step
  private float[] ends = {}; // of the last stack, log10 of the probability of the sentence's end

  /**
   * Starts a search.
   *
   * @param choices per word and number of words less one, the choices for the phrase, best first;
   *     null for none. Each word has choices of its own
   * @param begin the language model's context at the start of a sentence
   */
  StackSearch(Choice[][][] choices, FeatureWeights weights, SearchOptions options, LmState begin) {
    this.choices = choices;
    this.words = choices.length;
    this.options = options;
    this.weights = weights;
    this.lmWeight = weights.of(Feature.LANGUAGE_MODEL);
    this.distortionWeight = weights.of(Feature.DISTORTION);
    this.future = new FutureScores(choices);
    this.stacks = new int[words + 1][];
    int empty = partials.add();
    partials.context[empty] = contexts.number(begin);
    partials.before[empty] = Partials.NONE;
    partials.alternative[empty] = Partials.NONE;
    stacks[0] = new int[] {empty};
  }

  /** The number of steps: one for each source word, and one for the end of the sentence. */
  int steps() {
    return words + 1;
  }

  /**
   * Begins a step.
   *
   * @param step from 1
   * @param asked takes what the language model is to score
   */
  void begin(int step, List<LmSentence> asked) {
    known = scores.size();
    if (step > words) {
      for (int last : stacks[words]) {
        ask(partials.context[last], null, asked);
      }
      return;
    }
    frontier.clear();
    for (int length = 1; length <= Math.min(step, SearchOptions.MAX_PHRASE); length++) {
      extend(stacks[step - length], length);
    }
    frontier.order();
    size = 0;
    while (!frontier.isEmpty() && size < options.candidates()) {
      take(asked);
      frontier.advance();
    }
  }

  /** Adds the extensions of a stack by phrases of the given length. */
  private void extend(int[] stack, int length) {
    for (int first = 0; first < stack.length; ) {
      int gap = partials.gap[stack[first]];
      long mask = partials.mask[stack[first]];
      int end = first + 1;
      while (end < stack.length
          && partials.gap[stack[end]] == gap
          && partials.mask[stack[end]] == mask) {
        end++;
      }
      // after leaving a gap, it must be possible to jump back to it
      int furthest = Math.max(gap, gap + options.distortion() - length);
      for (int from = gap; from <= Math.min(furthest, words - length); from++) {
        Choice[] phrase = choices(from, length);
        long span = Coverage.span(from - gap, length);
        if (phrase == null || (mask & span) != 0) {
          continue;
        }
        int advance = Coverage.advance(mask | span);
        double open = future.open(gap + advance, Coverage.moved(mask | span, advance));
        for (int i = first; i < end; i++) {
          int jump = Math.abs(from - partials.end[stack[i]]);
          if (jump <= options.distortion()) {
            double base = partials.score[stack[i]] - distortionWeight * jump;
            frontier.add(stack[i], from, base + open, phrase);
          }
        }
      }
      first = end;
    }
  }

  private Choice[] choices(int from, int length) {
    return length <= choices[from].length ? choices[from][length - 1] : null;
  }

  private void take(List<LmSentence> asked) {
    if (size == extended.length) {
      extended = Arrays.copyOf(extended, 2 * size);
      froms = Arrays.copyOf(froms, 2 * size);
      chosen = Arrays.copyOf(chosen, 2 * size);
      places = Arrays.copyOf(places, 2 * size);
    }
    extended[size] = frontier.partial();
    froms[size] = frontier.from();
    chosen[size] = frontier.choice();
    places[size] = ask(partials.context[frontier.partial()], frontier.choice(), asked);
    size++;
  }

  /** The place of a choice's score after a context; null is the end of the sentence. */
  private int ask(int context, Choice choice, List<LmSentence> asked) {
    int before = scores.size();
    int place = scores.place(context, choice == null ? Integer.MAX_VALUE : choice.number);
    if (place == before) {
      asked.add(
          choice == null
              ? new LmSentence(NO_WORDS, false, true, contexts.state(context))
              : LmSentence.after(contexts.state(context), choice.words));
    }
    return place;
  }

  /**
   * Ends a step.
   *
   * @param answers the answers to what {@link #begin} asked, from an index on
   */
  void end(int step, List<Result<WordScores>> answers, int from) {
    int at = from;
    for (int place = known; place < scores.size(); place++) {
      WordScores answer = answers.get(at++).orElseThrow();
      scores.set(place, answer.total(), contexts.number(answer.out()));
    }
    if (step > words) {
      ends = new float[stacks[words].length];
      for (int i = 0; i < ends.length; i++) {
        ends[i] = scores.log10(ask(partials.context[stacks[words][i]], null, List.of()));
      }
      return;
    }
    int first = partials.size();
    int[] winners = new int[Math.max(16, Integer.highestOneBit(size) << 2)]; // a hash table
    Arrays.fill(winners, Partials.NONE);
    for (int i = 0; i < size; i++) {
      recombine(add(i), winners);
    }
    stacks[step] = prune(first, Arrays.stream(winners).filter(i -> i >= 0).sorted().toArray());
  }

  private int add(int i) {
    int before = extended[i];
    int from = froms[i];
    Choice choice = chosen[i];
    int gap = partials.gap[before];
    long mask = partials.mask[before] | Coverage.span(from - gap, choice.sourceWords);
    int advance = Coverage.advance(mask);
    int jump = Math.abs(from - partials.end[before]);
    float log10 = scores.log10(places[i]);
    int added = partials.add();
    partials.gap[added] = gap + advance;
    partials.mask[added] = Coverage.moved(mask, advance);
    partials.end[added] = from + choice.sourceWords;
    partials.context[added] = scores.context(places[i]);
    partials.before[added] = before;
    partials.from[added] = from;
    partials.choice[added] = choice;
    partials.log10[added] = log10;
    partials.alternative[added] = Partials.NONE;
    double score =
        partials.score[before] - distortionWeight * jump + choice.fixed + lmWeight * log10;
    partials.score[added] = score;
    partials.promise[added] = score + future.open(partials.gap[added], partials.mask[added]);
    return added;
  }

  /** Recombines with an equivalent one, if any: the better one wins, or the earlier if equal. */
  private void recombine(int added, int[] winners) {
    int slot = partials.hash(added) & (winners.length - 1);
    while (winners[slot] >= 0 && !partials.meet(winners[slot], added)) {
      slot = (slot + 1) & (winners.length - 1);
    }
    int before = winners[slot];
    if (before < 0) {
      winners[slot] = added;
    } else if (partials.score[added] > partials.score[before]) {
      partials.alternative[added] = before;
      winners[slot] = added;
    } else {
      partials.alternative[added] = partials.alternative[before];
      partials.alternative[before] = added;
    }
  }

  /**
   * Prunes a stack to its most promising ones, with their alternatives if these are wanted.
   *
   * @param first the number of the stack's first one
   * @param winners those that were not recombined into others, ascending
   */
  private int[] prune(int first, int[] winners) {
    int kept = Math.min(winners.length, options.stack());
    double[] promises = Arrays.stream(winners).mapToDouble(i -> partials.promise[i]).toArray();
    double[] sorted = promises.clone();
    Arrays.sort(sorted);
    double least = kept == 0 ? 0 : sorted[sorted.length - kept];
    int above = 0;
    for (double promise : promises) {
      above += promise > least ? 1 : 0;
    }
    int equal = kept - above; // of those that tie with the last one kept, the earliest
    boolean[] marked = new boolean[partials.size() - first];
    int[] stack = new int[kept];
    int size = 0;
    for (int i = 0; i < winners.length; i++) {
      if (promises[i] > least || (promises[i] == least && equal-- > 0)) {
        stack[size++] = winners[i];
        mark(winners[i], first, marked);
      }
    }
    int[] moved = partials.keep(first, marked);
    return Arrays.stream(stack)
        .map(i -> moved[i - first])
        .boxed()
        .sorted(
            Comparator.comparingInt((Integer i) -> partials.gap[i])
                .thenComparingLong(i -> partials.mask[i])
                .thenComparing(i -> -partials.promise[i]))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private void mark(int winner, int first, boolean[] marked) {
    if (options.nBest() == 1) {
      partials.alternative[winner] = Partials.NONE;
    }
    for (int i = winner; i != Partials.NONE; i = partials.alternative[i]) {
      marked[i - first] = true;
    }
  }

  /** The best translations, best first; after all steps. */
  List<Derivation> best() {
    return new BestPaths(partials, stacks[words], ends, weights).find(options.nBest());
  }
}
