package io.latimer.cli.grammar;

import io.latimer.cli.command.Json;
import io.latimer.operators.grammar.BestTree;
import io.latimer.operators.grammar.ChartSummary;
import io.latimer.operators.grammar.GrammarVerdict;
import io.latimer.operators.grammar.NextWords.Continuation;
import java.util.List;
import java.util.stream.Collectors;

/** Verdicts as JSON objects. */
final class JsonVerdicts implements VerdictFormat {
  @Override
  public String of(long line, GrammarVerdict verdict, Continuation next) {
    StringBuilder json = new StringBuilder("{\"line\":").append(line);
    json.append(",\"derivable\":").append(verdict.derivable());
    json.append(",\"words\":").append(verdict.words());
    json.append(",\"longestPrefix\":").append(verdict.longestPrefix());
    json.append(",\"acceptedPrefixes\":").append(verdict.acceptedPrefixes());
    json.append(",\"roots\":").append(array(verdict.roots()));
    if (verdict.chart().isPresent()) {
      ChartSummary chart = verdict.chart().get();
      json.append(",\"chartBits\":").append(chart.bits());
      json.append(",\"chartHash\":").append(Json.quoted(chart.hashText()));
    }
    if (verdict.tree().isPresent()) {
      BestTree tree = verdict.tree().get();
      json.append(",\"logProbability\":").append(tree.logProbability());
      json.append(",\"tree\":").append(Json.quoted(tree.bracketed()));
    }
    if (next != null) {
      json.append(",\"viable\":").append(next.viable());
      json.append(",\"complete\":").append(next.complete());
      json.append(",\"nextWords\":").append(next.total());
      json.append(",\"next\":").append(array(next.words()));
    }
    return json.append('}').toString();
  }

  private static String array(List<String> words) {
    return words.stream().map(Json::quoted).collect(Collectors.joining(",", "[", "]"));
  }

  @Override
  public String failed(long line, String reason) {
    return "{\"line\":" + line + ",\"error\":" + Json.quoted(reason) + "}";
  }
}
