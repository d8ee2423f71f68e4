package io.latimer.operators.text;

import io.latimer.operators.text.SourceSentence.Floating;
import java.util.ArrayList;
import java.util.List;

/** Locates the model's source tokens in the raw text of their sentence. */
final class SourceTokens {
  private SourceTokens() {}

  /**
   * The span of each token in {@link SourceSentence#raw()}.
   *
   * @param entities whether the tokens contain Moses' entities
   */
  static List<TextSpan> find(SourceSentence sentence, Segmenter segmenter, boolean entities) {
    List<String> plain = segmenter.surfaces(sentence.tokens());
    List<String> surfaces = entities ? Entities.resolve(plain) : plain;
    List<String> carried = sentence.frame().carried();
    List<Floating> floating = sentence.floating();
    // Removed parts are in the text, so they are restored to locate their neighbours.
    List<String> whole = new ArrayList<>(surfaces.size() + floating.size());
    int[] places = new int[surfaces.size()];
    int mark = 0;
    int out = 0;
    for (int i = 0; i < surfaces.size(); i++) {
      for (; out < floating.size() && floating.get(out).position() <= i; out++) {
        whole.add(floating.get(out).literal());
      }
      places[i] = whole.size();
      String surface = surfaces.get(i);
      if (surface == null || carried.isEmpty()) {
        whole.add(surface);
        continue;
      }
      int marks = ProtectedText.marks(surface);
      whole.add(ProtectedText.resolve(surface, carried.subList(mark, mark + marks)));
      mark += marks;
    }
    floating.subList(out, floating.size()).forEach(part -> whole.add(part.literal()));
    List<TextSpan> found = TokenSpans.find(whole, sentence.raw());
    List<TextSpan> spans = new ArrayList<>(places.length);
    for (int place : places) {
      spans.add(found.get(place));
    }
    return spans;
  }
}
