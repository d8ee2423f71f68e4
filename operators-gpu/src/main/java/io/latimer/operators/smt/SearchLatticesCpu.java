package io.latimer.operators.smt;

import io.latimer.operators.lm.ScoreWords;
import io.latimer.operators.util.Team;
import java.util.List;

/**
 * Searches on the host's cores: all sentences in lockstep, so that each step asks the language
 * model once for all of them, on whatever device it works. Too many sentences to be searched at
 * once are searched in parts.
 */
final class SearchLatticesCpu implements SearchLattices {
  /**
   * Extensions that all steps of the sentences searched together may score, which bounds their
   * memory: some 60 bytes each, 250 MB in all, and more for n-best lists. With the default options,
   * that is 350 sentences of 20 words; a step of half of them asks for at most 87,500 extensions,
   * which are few for a GPU.
   */
  private static final long MOST_CANDIDATES = 1 << 22;

  /** What a search needs besides its steps, in units of a step. */
  private static final int STEPS_OF_A_SEARCH = 4;

  private final ScoreWords lm;
  private final SearchOptions options;
  private final Team team;
  private final SearchSteps steps;

  /**
   * Makes a searcher.
   *
   * @param team searches; not closed with this object
   * @param overlap whether sentences are searched while the language model is asked for others
   */
  SearchLatticesCpu(ScoreWords lm, SearchOptions options, Team team, boolean overlap) {
    this.lm = lm;
    this.options = options;
    this.team = team;
    this.steps = new SearchSteps(lm, team, overlap);
  }

  @Override
  public long search(Lattices lattices, FeatureWeights weights, List<List<Derivation>> best) {
    List<Choice[][][]> sentences = lattices.sentences();
    long asking = 0;
    for (int from = 0, to; from < sentences.size(); from = to) {
      to = together(sentences, from);
      asking += search(sentences.subList(from, to), weights, best.subList(from, to));
    }
    return asking;
  }

  /** The end of the range of sentences from one on that are searched together: as many as fit. */
  private int together(List<Choice[][][]> sentences, int from) {
    long room = MOST_CANDIDATES;
    int to = from;
    do {
      room -= (long) options.candidates() * (sentences.get(to).length + STEPS_OF_A_SEARCH);
      to++;
    } while (to < sentences.size() && room > 0);
    return to;
  }

  private long search(
      List<Choice[][][]> sentences, FeatureWeights weights, List<List<Derivation>> best) {
    StackSearch[] searches = new StackSearch[sentences.size()];
    team.forEach(
        searches.length,
        1,
        i ->
            searches[i] =
                new StackSearch(sentences.get(i), weights, options, lm.model().beginState()));
    long asking = steps.run(searches);
    team.forEach(searches.length, 1, i -> best.set(i, searches[i].best()));
    return asking;
  }

  @Override
  public void close() {}
}
