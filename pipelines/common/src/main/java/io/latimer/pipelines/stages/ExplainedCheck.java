package io.latimer.pipelines.stages;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.Result;
import io.latimer.operators.grammar.CheckGrammar;
import io.latimer.operators.grammar.GrammarOptions;
import io.latimer.operators.grammar.GrammarVerdict;
import io.latimer.operators.grammar.NextWords;
import io.latimer.operators.grammar.NextWords.Continuation;
import io.latimer.operators.grammar.UnknownWords;
import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks texts against a grammar, and for those that break it, lists the words that could have
 * followed.
 */
final class ExplainedCheck implements BatchOperator<String, ExplainedCheck.Explained> {
  /**
   * A text checked against a grammar.
   *
   * @param continuation the point at which it leaves the grammar; null if it does not, or if not
   *     examined
   */
  record Explained(GrammarVerdict verdict, Continuation continuation) {}

  private final CheckGrammar check;
  private final NextWords nextWords; // null if not asked for
  private final Team team;
  private final Closer closer = new Closer();

  private ExplainedCheck(CheckGrammar check, UnknownWords unknown, int most) {
    this.check = closer.add(check);
    try {
      this.nextWords = most == 0 ? null : new NextWords(check.index(), unknown, most);
      this.team = new Team(most == 0 ? 1 : Team.defaultThreads());
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  /**
   * Creates an opener of operators for a grammar's index file.
   *
   * @param deviceBytes as for {@link CheckGrammar#opener(GrammarOptions, long)}
   * @param most maximum number of words to list that could have followed; 0 for none
   */
  static IndexOpener<ExplainedCheck> opener(GrammarOptions options, long deviceBytes, int most) {
    IndexOpener<CheckGrammar> check = CheckGrammar.opener(options, deviceBytes);
    return new IndexOpener<>(
        check.kind(),
        (residents, ref, device) ->
            new ExplainedCheck(check.open(residents, ref, device), options.unknown(), most));
  }

  GrammarIndex index() {
    return check.index();
  }

  @Override
  public List<Result<Explained>> apply(List<String> batch) {
    return applyWords(SentenceWords.of(batch));
  }

  /** Checks texts whose words are shared with other operators. */
  List<Result<Explained>> applyWords(List<SentenceWords> batch) {
    List<Result<GrammarVerdict>> verdicts = check.applyWords(batch);
    List<Result<Explained>> results = new ArrayList<>(verdicts.size());
    Continuation[] continuations = continuations(batch, verdicts);
    for (int i = 0; i < continuations.length; i++) {
      results.add(explained(verdicts.get(i), continuations[i]));
    }
    return results;
  }

  private static Result<Explained> explained(
      Result<GrammarVerdict> verdict, Continuation continuation) {
    return verdict instanceof Result.Failure<GrammarVerdict> failure
        ? Result.failure(failure.error())
        : Result.of(new Explained(verdict.orElseThrow(), continuation));
  }

  /** The continuation of each text, or null. */
  private Continuation[] continuations(
      List<SentenceWords> texts, List<Result<GrammarVerdict>> verdicts) {
    Continuation[] continuations = new Continuation[texts.size()];
    if (nextWords != null) {
      team.run(
          continuations.length,
          i -> {
            if (verdicts.get(i) instanceof Result.Value<GrammarVerdict> value
                && !value.value().derivable()) {
              continuations[i] = nextWords.after(texts.get(i));
            }
          });
    }
    return continuations;
  }

  @Override
  public void close() {
    closer.close();
  }
}
