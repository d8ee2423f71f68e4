package io.latimer.cli.phrases;

import io.latimer.cli.command.InputLine;
import io.latimer.cli.command.Json;
import io.latimer.cli.command.OperatorLines;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.Result;
import io.latimer.operators.phrases.PhrasePair;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.phrases.SourcePhrase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Prints a JSON object per line: its phrases by position, with the most frequent translations
 * first.
 */
final class JsonOutput implements OperatorLines.Output<PhraseTable> {
  private final int best;
  private final Terminal terminal;
  private final Map<String, String> printed = new HashMap<>();

  /**
   * @param best translations of each source phrase to print, the most frequent ones; 0 for all
   */
  JsonOutput(int best, Terminal terminal) {
    this.best = best;
    this.terminal = terminal;
  }

  @Override
  public void add(InputLine line, Result<PhraseTable> table) {
    StringBuilder json = new StringBuilder("{\"line\":").append(line.number());
    if (table instanceof Result.Failure<PhraseTable> failed) {
      json.append(",\"error\":").append(Json.quoted(failed.error().getMessage()));
    } else {
      json.append(",\"phrases\":[");
      List<SourcePhrase> phrases = table.orElseThrow().phrases();
      for (int i = 0; i < phrases.size(); i++) {
        SourcePhrase phrase = phrases.get(i);
        json.append(i == 0 ? "" : ",").append("{\"from\":").append(phrase.from());
        json.append(printed.computeIfAbsent(phrase.text(), text -> of(text, phrase)));
      }
      json.append(']');
    }
    terminal.result(json.append('}').toString());
  }

  /** The JSON of a phrase that does not depend on the sentence. */
  private String of(String text, SourcePhrase phrase) {
    StringBuilder json = new StringBuilder();
    json.append(",\"words\":").append(phrase.words());
    json.append(",\"source\":").append(Json.quoted(text));
    json.append(",\"occurrences\":").append(phrase.occurrences());
    json.append(",\"samples\":").append(phrase.samples());
    json.append(",\"sourceCount\":").append(phrase.extractions());
    json.append(",\"coherence\":").append(SignificantDigits.of(phrase.coherence()));
    json.append(",\"translations\":[");
    String separator = "";
    for (PhrasePair pair : PhraseRows.best(phrase, best)) {
      json.append(separator).append("{\"target\":").append(Json.quoted(pair.text()));
      json.append(",\"count\":").append(pair.count());
      json.append(",\"probability\":").append(SignificantDigits.of(pair.probability()));
      json.append(",\"lexEF\":");
      json.append(SignificantDigits.of(pair.lexicalTargetGivenSource()));
      json.append(",\"lexFE\":");
      json.append(SignificantDigits.of(pair.lexicalSourceGivenTarget()));
      json.append('}');
      separator = ",";
    }
    return json.append("]}").toString();
  }

  @Override
  public void endBatch() {
    printed.clear();
  }
}
