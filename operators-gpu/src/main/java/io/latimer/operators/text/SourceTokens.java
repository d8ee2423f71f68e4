package io.latimer.operators.text;

import io.latimer.operators.text.SourceSentence.Floating;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the model's source tokens, and what it does not see, are in the raw text of their sentence.
 *
 * @param tokens the span of each token in {@link SourceSentence#raw()}
 * @param floating the span of each {@link SourceSentence#floating} part
 */
record SourceTokens(List<TextSpan> tokens, List<TextSpan> floating) {

  /**
   * The span of each token.
   *
   * @see #of
   */
  static List<TextSpan> find(SourceSentence sentence, Segmenter segmenter, boolean entities) {
    return of(sentence, segmenter, entities).tokens();
  }

  /**
   * Finds them.
   *
   * @param entities whether the tokens contain Moses' entities
   */
  static SourceTokens of(SourceSentence sentence, Segmenter segmenter, boolean entities) {
    List<String> plain = segmenter.surfaces(sentence.tokens());
    List<String> surfaces = entities ? Entities.resolve(plain) : plain;
    List<KeptText> carried = sentence.frame().carried();
    List<Floating> floating = sentence.floating();
    // Removed parts are in the text, so they are restored to locate their neighbours.
    List<String> whole = new ArrayList<>(surfaces.size() + floating.size());
    int[] places = new int[surfaces.size()];
    List<Integer> floatingPlaces = new ArrayList<>(floating.size());
    int mark = 0;
    int out = 0;
    for (int i = 0; i < surfaces.size(); i++) {
      for (; out < floating.size() && floating.get(out).position() <= i; out++) {
        floatingPlaces.add(whole.size());
        whole.add(floating.get(out).text().source());
      }
      places[i] = whole.size();
      String surface = surfaces.get(i);
      if (surface == null || carried.isEmpty()) {
        whole.add(surface);
        continue;
      }
      int marks = ProtectedText.marks(surface);
      whole.add(KeptText.resolve(surface, carried.subList(mark, mark + marks), KeptText::source));
      mark += marks;
    }
    for (; out < floating.size(); out++) {
      floatingPlaces.add(whole.size());
      whole.add(floating.get(out).text().source());
    }
    List<TextSpan> found = TokenSpans.find(whole, sentence.raw());
    List<TextSpan> spans = new ArrayList<>(places.length);
    for (int place : places) {
      spans.add(found.get(place));
    }
    return new SourceTokens(spans, floatingPlaces.stream().map(found::get).toList());
  }
}
