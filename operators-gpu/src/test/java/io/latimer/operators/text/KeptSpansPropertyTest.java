package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.testing.ShippedModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whatever a model writes, what must stay is in the translation exactly as often as before. */
final class KeptSpansPropertyTest {
  private static final int LINES = 3_000;

  private static final List<String> SPANS =
      List.of(
          "{name}",
          "{{ user.name }}",
          "{0}",
          "%s",
          "%1$s",
          "%(total)d",
          "${HOME}",
          "$PATH",
          "[[Main Page]]",
          ":tada:",
          "<0/>",
          "`rm -rf x`",
          "@maria_92",
          "#Berlin2024",
          "/etc/nginx/nginx.conf",
          "C:\\Users\\a.txt",
          "v1.18.3-rc1",
          "192.168.0.1",
          "+49 30 1234567",
          "DE89 3704 0044 0532 0130 00",
          "#ff8800",
          "0x7fff",
          "3f786850e387",
          "123e4567-e89b-12d3-a456-426614174000",
          "https://example.org/a?b=c",
          "jo@example.org");

  private static final List<String> WORDS =
      List.of("the", "message", "of", "Tom", "is", "not", "here", "please", "open", "it", "twice");

  private static final List<String> JOINTS =
      List.of(" ", " ", " ", ", ", "", " (", ") ", ": ", "-");

  private static String line(Random random) {
    StringBuilder line = new StringBuilder();
    int spans = 1 + random.nextInt(4);
    while (spans > 0 || random.nextInt(3) > 0) {
      boolean span = spans > 0 && random.nextInt(3) == 0;
      spans -= span ? 1 : 0;
      List<String> from = span ? SPANS : WORDS;
      line.append(from.get(random.nextInt(from.size())));
      line.append(JOINTS.get(random.nextInt(JOINTS.size())));
    }
    return line.append(WORDS.get(random.nextInt(WORDS.size()))).append('.').toString();
  }

  private static int count(String part, String text) {
    int count = 0;
    for (int at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
      count++;
    }
    return count;
  }

  /** The ids of tokens without a character that a span has, but letters. */
  private static int[] plainIds(Vocabulary vocabulary) {
    return IntStream.range(2, vocabulary.size())
        .filter(vocabulary::has)
        .filter(id -> vocabulary.token(id).replace("\u2581", "").matches("[A-ZÄÖÜ]?[g-zäöüß]+"))
        .toArray();
  }

  @Test
  void everySpanIsThereAsOftenAsBefore() {
    Random random = new Random(38);
    int kept = 0;
    try (IndexFile file = IndexFile.open(ShippedModel.path());
        TranslationModel model = TranslationModel.open(file)) {
      TextPipeline pipeline = model.pipeline();
      int[] words = plainIds(model.target());
      for (int i = 0; i < LINES; i++) {
        String line = line(random);
        List<String> texts = new ArrayList<>();
        List<SourceSentence> sentences = pipeline.prepare(line);
        for (SourceSentence sentence : sentences) {
          int[] ids = random.ints(random.nextInt(12), 0, words.length).map(k -> words[k]).toArray();
          float[][] attention = new float[ids.length][sentence.length()];
          for (float[] row : attention) {
            row[random.nextInt(row.length)] = 1;
          }
          texts.add(pipeline.restore(sentence, ids, random.nextBoolean() ? attention : null));
        }
        String translation = pipeline.rejoin(sentences, texts);
        List<String> spans =
            KeptSpans.of(line).stream().map(s -> line.substring(s.start(), s.end())).toList();
        for (String span : spans) {
          assertThat(count(span, translation))
              .as("%s in %s from %s", span, translation, line)
              .isEqualTo(count(span, String.join("\n", spans)));
          kept++;
        }
      }
    }
    assertThat(kept).isGreaterThan(2 * LINES);
  }
}
