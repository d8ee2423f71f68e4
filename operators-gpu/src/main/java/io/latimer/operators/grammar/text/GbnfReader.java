package io.latimer.operators.grammar.text;

import io.latimer.operators.ngram.WordIds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads the grammars of llama.cpp (GBNF) as far as they are rules over words. Such a grammar
 * derives characters; white space separates its words.
 *
 * <table>
 * <caption>What is read</caption>
 * <tr><td>{@code root ::= "the " noun}</td><td>a rule; it ends where the next
 *     begins. No two have the same name</td></tr>
 * <tr><td>{@code "the \"x\"\n"}</td><td>characters: words, and white space between them</td></tr>
 * <tr><td>{@code [ \t\n]}, also with {@code * + ? {2,}}</td><td>white space. It separates words even
 *     where it may be missing</td></tr>
 * <tr><td>{@code [abc0-9]}</td><td>one of these characters</td></tr>
 * <tr><td>{@code ( )}, {@code ? * +}, {@code {2}}, {@code {2,}}, {@code {2,5}}</td><td>groups and
 *     repetitions</td></tr>
 * <tr><td>{@code # text}</td><td>a comment</td></tr>
 * <tr><td>{@code "un" noun}</td><td>refused where both sides are parts of one word, which includes
 *     {@code [a-z]+}: the words of sentences are never split</td></tr>
 * <tr><td>{@code [^abc]}, {@code .}, {@code <token>}</td><td>refused: they stand for texts that
 *     cannot be listed, or for tokens of a model</td></tr>
 * </table>
 *
 * <p>The start symbol is {@code root}.
 */
final class GbnfReader extends ExpressionReader {
  private static final TokenSyntax SYNTAX =
      new TokenSyntax(
          List.of("#"),
          Map.of(),
          "\"",
          true,
          Map.of('[', ']'),
          "-",
          false,
          List.of("::=", "|", "(", ")", "{", "}", "*", "+", "?", ".", ",", "<", ">", "/", "!"));
  private static final List<String> ENDS = List.of("|", ")");
  private static final int MOST_CHARACTERS = 256;

  private boolean anyRule;

  @Override
  public void read(Path file) {
    begin(TokenScanner.scan(file, SYNTAX));
    while (!tokens().ended()) {
      Token name = tokens().expectName();
      tokens().expect("::=");
      anyRule = true;
      define(name);
      readRules(name);
    }
  }

  @Override
  public ContextFreeGrammar finish(String start, String files) {
    String root = GrammarReader.start(start, anyRule ? "root" : null, files);
    return WordBoundaries.remove(grammar.build(root, files));
  }

  @Override
  boolean endsSequence(boolean nested) {
    boolean next =
        !nested && tokens().token().kind() == Token.Kind.NAME && tokens().second().is("::=");
    return next || tokens().ended() || tokens().isAny(ENDS);
  }

  @Override
  int[] item(String of) {
    Token token = tokens().take();
    SourceLine line = token.line();
    return switch (token.kind()) {
      case NAME, NUMBER -> new int[] {grammar.variable(token.text(), line)};
      case LITERAL -> characters(token.text());
      case PATTERN -> characterClass(token, of);
      default -> {
        if (token.is("(")) {
          yield group(of, ")", line);
        }
        throw line.error(notAnItem(token));
      }
    };
  }

  private static String notAnItem(Token token) {
    if (token.is("<") || token.is("!")) {
      return "a token of a language model is no word; write a literal";
    }
    return token.is(".")
        ? "any character (.) cannot be listed; write the words as literals"
        : "expected an item of a rule, found " + token.shown();
  }

  /** The words of a text, with a boundary for white space. */
  private int[] characters(String text) {
    List<Integer> symbols = new ArrayList<>();
    int from = 0;
    for (int i = 0; i <= text.length(); i++) {
      if (i == text.length() || WordIds.isSpace(text.charAt(i))) {
        if (i > from) {
          symbols.add(grammar.terminal(text.substring(from, i)));
        }
        if (i < text.length()) {
          symbols.add(grammar.terminal(WordBoundaries.BOUNDARY));
        }
        from = i + 1;
      }
    }
    return symbols.stream().mapToInt(Integer::intValue).toArray();
  }

  private int[] characterClass(Token token, String of) {
    String content = token.text().substring(1, token.text().length() - 1);
    SourceLine line = token.line();
    if (content.startsWith("^")) {
      throw line.error(
          "the characters " + token.shown() + " cannot be listed; write the words as literals");
    }
    StringBuilder characters = new StringBuilder();
    int at = 0;
    while (at < content.length()) {
      StringBuilder range = new StringBuilder();
      at = character(content, at, range, line);
      if (at + 1 < content.length() && content.charAt(at) == '-') {
        at = character(content, at + 1, range, line);
        int last = range.codePointBefore(range.length());
        for (int c = range.codePointAt(0); c <= last; c++) {
          characters.appendCodePoint(c);
          requireFew(characters, token);
        }
      } else {
        characters.append(range);
      }
      requireFew(characters, token);
    }
    List<int[]> alternatives = new ArrayList<>();
    characters.codePoints().forEach(c -> alternatives.add(characters(Character.toString(c))));
    return alternatives.size() == 1 ? alternatives.get(0) : part(of, line, alternatives);
  }

  private static int character(String content, int at, StringBuilder into, SourceLine line) {
    if (content.charAt(at) == '\\') {
      return TokenScanner.unescape(content, at, into, line);
    }
    into.appendCodePoint(content.codePointAt(at));
    return at + Character.charCount(content.codePointAt(at));
  }

  private static void requireFew(CharSequence characters, Token token) {
    if (characters.length() > MOST_CHARACTERS) {
      throw token
          .line()
          .error(
              "the characters "
                  + token.shown()
                  + " are more than "
                  + MOST_CHARACTERS
                  + "; write the words as literals");
    }
  }

  @Override
  int[] repeated(int[] item, String of, SourceLine line) {
    int[] all = item;
    while (true) {
      int[] next = marked(all, of, line);
      if (next != null) {
        all = next;
      } else if (tokens().accept("{")) {
        int least = tokens().token().is(",") ? 0 : tokens().expectNumber();
        int most = least;
        if (tokens().accept(",")) {
          most = tokens().token().is("}") ? UNLIMITED : tokens().expectNumber();
        }
        tokens().expect("}");
        all = repeat(all, least, most, of, line);
      } else {
        return all;
      }
    }
  }
}
