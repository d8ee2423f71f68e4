package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.testing.ShippedModel;
import io.latimer.operators.text.markup.Markup;
import io.latimer.operators.text.markup.Tag;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whatever a model writes, what must stay is in the translation exactly as often as before. */
final class KeptSpansPropertyTest {
  private static final int LINES = 10_000;

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

  /** What stands before and after a part of a line. */
  private static final List<List<String>> PAIRS =
      List.of(
          List.of("<b>", "</b>"),
          List.of("<a href=\"https://example.org/?a=b&amp;c=<d>\">", "</a>"),
          List.of("<x:g id='1'>", "</x:g>"),
          List.of("**", "**"),
          List.of("_", "_"),
          List.of("[", "](https://example.org/b_c_d)"));

  private static final List<String> ALONE = List.of("<img src=\"a.png\"/>", "<br>", "<!-- x -->");

  private static final List<String> WORDS =
      List.of("the", "message", "of", "Tom", "is", "not", "here", "please", "open", "it", "twice");

  private static final List<String> JOINTS =
      List.of(" ", " ", " ", ", ", "", " (", ") ", ": ", "-");

  /** Lines of words and 1 to 4 spans of each of some kinds, nested and side by side. */
  private static String line(Random random) {
    String line = parts(random);
    for (int i = random.nextInt(4); i > 0; i--) {
      List<String> pair = PAIRS.get(random.nextInt(PAIRS.size()));
      String inside = pair.get(0) + line + pair.get(1);
      String before = random.nextBoolean() ? "" : parts(random) + " ";
      String after = random.nextBoolean() ? "." : " " + parts(random);
      line = before + inside + after;
      if (random.nextInt(3) == 0) {
        line += ALONE.get(random.nextInt(ALONE.size()));
      }
    }
    return line;
  }

  private static String parts(Random random) {
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
    for (int at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length())) {
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
      int[] masks =
          IntStream.range(0, Masks.COUNT)
              .map(k -> model.target().id(String.valueOf(Masks.get(k))))
              .toArray();
      for (int i = 0; i < LINES; i++) {
        String line = line(random);
        List<String> texts = new ArrayList<>();
        List<SourceSentence> sentences = pipeline.prepare(line);
        for (SourceSentence sentence : sentences) {
          int[] ids = new int[random.nextInt(12)];
          for (int k = 0; k < ids.length; k++) {
            boolean mask = random.nextInt(5) == 0;
            int[] from = mask ? masks : words;
            ids[k] = from[random.nextInt(from.length)];
          }
          float[][] attention = new float[ids.length][sentence.length()];
          for (float[] row : attention) {
            row[random.nextInt(row.length)] = 1;
          }
          texts.add(pipeline.restore(sentence, ids, random.nextBoolean() ? attention : null));
        }
        String translation = pipeline.rejoin(sentences, texts);
        Markup markup = markup(line);
        List<String> spans = new ArrayList<>();
        KeptSpans.of(markup.plain())
            .forEach(s -> spans.add(markup.plain().substring(s.start(), s.end())));
        markup.tags().stream()
            .map(Tag::literal)
            .filter(literal -> !markup.plain().contains(literal)) // as text, it may get lost
            .forEach(spans::add);
        for (String span : spans) {
          int found = count(span, String.join("\n", spans));
          assertThat(count(span, translation))
              .as("%s in %s from %s", span, translation, line)
              // more where two spans that touch look like a third
              .isBetween(found, Math.max(found, count(span, line)));
          kept++;
        }
        assertThat(unpaired(translation)).as("%s from %s", translation, line).isEmpty();
      }
    }
    assertThat(kept).isGreaterThan(5 * LINES);
  }

  private static Markup markup(String text) {
    return Markup.of(
        text, KeptSpans.of(text).stream().map(s -> new Markup.Range(s.start(), s.end())).toList());
  }

  /** Tags of HTML that have no partner: each closes the last one that is open. */
  private static List<String> unpaired(String text) {
    List<String> open = new ArrayList<>();
    for (int at = 0; at < text.length(); at++) {
      for (List<String> pair : PAIRS.subList(0, 3)) {
        if (text.startsWith(pair.get(0), at)) {
          open.add(pair.get(1));
        } else if (text.startsWith(pair.get(1), at)) {
          boolean closes = !open.isEmpty() && open.get(open.size() - 1).equals(pair.get(1));
          if (!closes) {
            return List.of(text.substring(at));
          }
          open.remove(open.size() - 1);
        }
      }
    }
    return open;
  }
}
