package io.latimer.cli.command;

import io.latimer.operators.OperatorException;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.smt.SearchOptions;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The search options of phrase-based translation. */
public final class PhraseSearchOptions {
  /** Number of extensions to score for each partial translation in the beam. */
  private static final int CANDIDATES = 5;

  private static final int MAX_PHRASE = 31;

  @Option(
      names = "--stack",
      paramLabel = "N",
      defaultValue = "100",
      description =
          "Partial translations that are kept of all that translate the same number of words, 1 to"
              + " 1048576 (default: ${DEFAULT-VALUE}).")
  private int stack;

  @Option(
      names = "--distortion-limit",
      paramLabel = "N",
      defaultValue = "6",
      description =
          "Source words that may lie between a phrase and the next, 0 to 32 (default:"
              + " ${DEFAULT-VALUE}).")
  private int distortion;

  @Option(
      names = "--max-phrase-length",
      paramLabel = "N",
      defaultValue = "5",
      description =
          "Words of the longest source phrase, 1 to "
              + MAX_PHRASE
              + " (default: ${DEFAULT-VALUE}).")
  private int longest;

  @Option(
      names = "--translations-per-phrase",
      paramLabel = "N",
      defaultValue = "20",
      description = "Translations of a phrase that are tried (default: ${DEFAULT-VALUE}).")
  private int translations;

  @Option(
      names = "--sample",
      paramLabel = "N",
      defaultValue = "300",
      description =
          "Occurrences of a phrase to look at, evenly spaced; 0 for all (default:"
              + " ${DEFAULT-VALUE}).")
  private int samples;

  /** The search options; values out of range are usage errors. */
  public SearchOptions search(CommandLine command, int nBest) {
    try {
      int candidates = (int) Math.min(SearchOptions.MAX_STACK, (long) CANDIDATES * stack);
      return new SearchOptions(stack, candidates, translations, distortion, nBest);
    } catch (OperatorException e) {
      throw new ParameterException(command, e.getMessage(), e);
    }
  }

  /** The phrase options; values out of range are usage errors. */
  public PhraseOptions phrases(CommandLine command) {
    if (longest < 1 || longest > MAX_PHRASE) {
      throw new ParameterException(
          command, "--max-phrase-length must be from 1 to " + MAX_PHRASE + ", found " + longest);
    }
    PhraseOptions defaults = PhraseOptions.DEFAULT;
    try {
      return new PhraseOptions(samples, longest, defaults.maxTarget(), defaults.loose());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, e.getMessage(), e);
    }
  }
}
