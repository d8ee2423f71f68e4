package io.latimer.operators.grammar.text;

import io.latimer.operators.ngram.WordIds;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Reads the grammars of the Berkeley parser, as its WriteGrammarToTextFile writes them ({@code
 * .grammar}, {@code .lexicon}) and as Puck has them ({@code .binary}, {@code .unary}, {@code
 * .lexicon}): a rule per line, fields separated by white space.
 *
 * <table>
 * <caption>What is read</caption>
 * <tr><td>{@code S_0 -> NP_1 VP_0 0.25}</td><td>a rule with its probability; the arrow may be left
 *     out</td></tr>
 * <tr><td>{@code ROOT_0 -> S_0 0.9}</td><td>a unary rule</td></tr>
 * <tr><td>{@code NN dog [1.0E-4, 0.0]}</td><td>a word of a tag: the probabilities of its substates
 *     NN_0, NN_1, ...; 0 for none</td></tr>
 * </table>
 *
 * <p>Without a lexicon the words of sentences are tags: a symbol without rules, such as NN_1,
 * derives its name without the substate, NN. The start symbol is ROOT_0 or ROOT. The file {@code
 * .gr} of the parser itself is a serialized Java object and is refused; the files {@code .splits},
 * {@code .words} and {@code .numstates} are not needed.
 */
final class BerkeleyReader implements GrammarReader {
  private static final List<String> STARTS = List.of("ROOT_0", "ROOT");
  private static final String ARROW = "->";
  private static final Pattern SUBSTATE = Pattern.compile("_\\d+$");

  private final ContextFreeGrammar.Builder grammar = new ContextFreeGrammar.Builder();
  private final Probabilities probabilities = new Probabilities(grammar);
  private String start;
  private boolean anyWord;

  @Override
  public void read(Path file) {
    GrammarSource.requireText(file);
    try (GrammarLines lines = new GrammarLines(file)) {
      long number = 0;
      for (String line = lines.next(); line != null; line = lines.next()) {
        number++;
        if (!line.isBlank()) {
          line(line, new SourceLine(file, number));
        }
      }
    }
  }

  @Override
  public ContextFreeGrammar finish(String asked, String files) {
    if (!anyWord) {
      grammar.forEachUndefined(this::tag);
    }
    return grammar.build(GrammarReader.start(asked, start, files), files);
  }

  /** Without a lexicon the words are tags. */
  private void tag(int variable, String name, SourceLine at) {
    int terminal = grammar.terminal(SUBSTATE.matcher(name).replaceFirst(""));
    grammar.rule(variable, new int[] {terminal}, 0, at);
  }

  private void line(String line, SourceLine at) {
    int bracket = line.indexOf('[');
    if (bracket > 0 && line.stripTrailing().endsWith("]") && isLexical(line)) {
      // a word may have brackets, its probabilities may not
      lexical(line, line.lastIndexOf('['), at);
      return;
    }
    List<String> fields = WordIds.split(line);
    if (fields.size() > 1 && fields.get(1).equals(ARROW)) {
      fields.remove(1);
    }
    if (fields.size() != 3 && fields.size() != 4) {
      throw at.error(
          "expected A -> B C probability, A -> B probability or TAG word [probability, ...], found "
              + GrammarReader.shown(line));
    }
    double probability = Probabilities.parseOrZero(fields.get(fields.size() - 1), at);
    boolean self = fields.size() == 3 && fields.get(0).equals(fields.get(1)); // always 1, no rule
    if (probability > 0 && !self) {
      int left = variable(fields.get(0), at);
      int[] right = new int[fields.size() - 2];
      for (int place = 0; place < right.length; place++) {
        right[place] = variable(fields.get(place + 1), at);
      }
      grammar.rule(left, right, probabilities.weight(probability, at), at);
    }
  }

  private static boolean isLexical(String line) {
    return WordIds.split(line.substring(0, line.lastIndexOf('['))).size() == 2;
  }

  private void lexical(String line, int bracket, SourceLine at) {
    List<String> fields = WordIds.split(line.substring(0, bracket));
    int end = line.lastIndexOf(']');
    String[] states = line.substring(bracket + 1, end).split(",", -1);
    anyWord = true;
    int terminal = grammar.terminal(fields.get(1));
    for (int state = 0; state < states.length; state++) {
      double probability = Probabilities.parseOrZero(states[state].strip(), at);
      if (probability > 0) {
        int tag = variable(fields.get(0) + "_" + state, at);
        grammar.rule(tag, new int[] {terminal}, probabilities.weight(probability, at), at);
      }
    }
  }

  private int variable(String name, SourceLine at) {
    if (STARTS.contains(name) && (start == null || STARTS.indexOf(name) < STARTS.indexOf(start))) {
      start = name;
    }
    return grammar.variable(name, at);
  }
}
