package io.latimer.operators.nmt.convert;

import java.util.ArrayList;
import java.util.List;

/**
 * The header of a .npy array: a Python dictionary with exactly {@code descr}, {@code fortran_order}
 * and {@code shape}. Parsed by hand; nothing is evaluated.
 *
 * <p>Source: numpy/lib/format.py, "Format Version 1.0".
 *
 * @param descr the type, such as {@code <f4}
 * @param fortranOrder whether columns are contiguous
 * @param shape the dimensions, each 0 or more
 */
record NpyHeader(String descr, boolean fortranOrder, List<Long> shape) {

  /**
   * Parses.
   *
   * @throws IllegalArgumentException naming the error and its position
   */
  static NpyHeader parse(String text) {
    return new Parser(text).header();
  }

  private static final class Parser {
    private final String text;
    private int at;

    Parser(String text) {
      this.text = text;
    }

    NpyHeader header() {
      String descr = null;
      Boolean order = null;
      List<Long> shape = null;
      expect('{');
      while (!accept('}')) {
        int start = at;
        String key = string();
        expect(':');
        if (key.equals("descr") && descr == null) {
          descr = type();
        } else if (key.equals("fortran_order") && order == null) {
          order = bool();
        } else if (key.equals("shape") && shape == null) {
          shape = tuple();
        } else {
          throw wrong("descr, fortran_order and shape, each once", start);
        }
        if (!accept(',')) {
          expect('}');
          break;
        }
      }
      skipBlanks();
      if (at != text.length()) {
        throw wrong("the end", at);
      }
      if (descr == null || order == null || shape == null) {
        throw new IllegalArgumentException(
            "expected descr, fortran_order and shape, each once, found " + shown(0));
      }
      return new NpyHeader(descr, order, shape);
    }

    private String type() {
      if (accept('[')) {
        throw new IllegalArgumentException(
            "expected one number type, found a structured type " + shown(at - 1));
      }
      return string();
    }

    private String string() {
      skipBlanks();
      char quote = at < text.length() ? text.charAt(at) : 0;
      int end = quote == '\'' || quote == '"' ? text.indexOf(quote, at + 1) : -1;
      if (end < 0 || text.substring(at, end).indexOf('\\') >= 0) {
        throw wrong("a string", at);
      }
      String value = text.substring(at + 1, end);
      at = end + 1;
      return value;
    }

    private boolean bool() {
      skipBlanks();
      for (String word : List.of("True", "False")) {
        if (text.startsWith(word, at)) {
          at += word.length();
          return word.equals("True");
        }
      }
      throw wrong("True or False", at);
    }

    private List<Long> tuple() {
      List<Long> numbers = new ArrayList<>();
      expect('(');
      while (!accept(')')) {
        numbers.add(number());
        if (numbers.size() > 32) {
          throw new IllegalArgumentException("expected at most 32 dimensions, found more");
        }
        if (!accept(',')) {
          expect(')');
          break;
        }
      }
      return List.copyOf(numbers);
    }

    private long number() {
      skipBlanks();
      int start = at;
      while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
        at++;
      }
      if (at == start || at - start > 18) {
        throw wrong("a dimension of 1 to 18 digits", start);
      }
      long value = Long.parseLong(text, start, at, 10);
      if (at < text.length() && text.charAt(at) == 'L') {
        at++; // Python 2's long integers
      }
      return value;
    }

    private boolean accept(char c) {
      skipBlanks();
      if (at < text.length() && text.charAt(at) == c) {
        at++;
        return true;
      }
      return false;
    }

    private void expect(char c) {
      if (!accept(c)) {
        throw wrong("'" + c + "'", at);
      }
    }

    private void skipBlanks() {
      while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\n')) {
        at++;
      }
    }

    private IllegalArgumentException wrong(String expected, int where) {
      return new IllegalArgumentException(
          "expected " + expected + " at character " + where + ", found " + shown(where));
    }

    private String shown(int from) {
      String rest = text.substring(from, Math.min(text.length(), from + 40)).strip();
      return rest.isEmpty() ? "nothing" : rest.replaceAll("[^ -~]", "?");
    }
  }
}
