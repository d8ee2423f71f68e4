package io.latimer.operators.grammar.text;

import java.util.List;
import java.util.Map;

/**
 * How a format writes tokens.
 *
 * @param lineComments what begins a comment that ends with its line
 * @param blockComments what begins a comment, and what ends it
 * @param quotes the characters around literals
 * @param escapes whether a backslash in a literal has a meaning
 * @param patterns what begins a pattern, and what ends it
 * @param nameSigns characters of names besides letters, digits and underscores
 * @param anglesName whether {@code <a b>} is a name
 * @param signs the signs, longer ones before their prefixes
 */
record TokenSyntax(
    List<String> lineComments,
    Map<String, String> blockComments,
    String quotes,
    boolean escapes,
    Map<Character, Character> patterns,
    String nameSigns,
    boolean anglesName,
    List<String> signs) {}
