package io.latimer.operators.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Moses' entities in segmented text: one character of the text may be several tokens. */
final class Entities {
  private static final Pattern ENTITY = Pattern.compile("&[a-z0-9#]{2,5};");

  private Entities() {}

  /**
   * Replaces entities with their characters. A character goes to the token in which its entity
   * starts; a later token that contains only a part of that entity becomes null, which shares the
   * character.
   *
   * @param surfaces the surface of each token; may contain null
   */
  static List<String> resolve(List<String> surfaces) {
    StringBuilder line = new StringBuilder();
    List<Integer> ends = new ArrayList<>(surfaces.size());
    for (String surface : surfaces) {
      line.append(surface == null ? "" : surface);
      ends.add(line.length());
    }
    if (line.indexOf("&") < 0) {
      return surfaces;
    }
    int[] characters = new int[line.length()]; // 0 is kept, -1 is dropped, else a replacement
    Matcher matcher = ENTITY.matcher(line);
    while (matcher.find()) {
      String plain = MosesTokenizer.unescape(matcher.group());
      if (plain.length() == 1) {
        Arrays.fill(characters, matcher.start(), matcher.end(), -1);
        characters[matcher.start()] = plain.charAt(0);
      }
    }
    List<String> resolved = new ArrayList<>(surfaces.size());
    int at = 0;
    for (int i = 0; i < surfaces.size(); i++) {
      StringBuilder surface = new StringBuilder();
      boolean any = at < ends.get(i);
      for (; at < ends.get(i); at++) {
        if (characters[at] >= 0) {
          surface.append(characters[at] == 0 ? line.charAt(at) : (char) characters[at]);
        }
      }
      boolean shares = surfaces.get(i) == null || (any && surface.isEmpty());
      resolved.add(shares ? null : surface.toString());
    }
    return resolved;
  }
}
