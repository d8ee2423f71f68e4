package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.SearchSettings;
import io.latimer.operators.nmt.model.TensorShape;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.text.ModelLanguages;
import io.latimer.operators.text.TextSettings;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What published models of all kinds say of themselves. */
public final class ModelDescription {
  private ModelDescription() {}

  /**
   * The lines about a network.
   *
   * @param types of its numbers
   */
  public static List<String> of(TransformerSettings s, Collection<String> types) {
    return List.of(
        String.format(
            Locale.ROOT,
            "network: transformer, %d + %d layers, width %d, %d heads, feed-forward %d, %s",
            s.encoderLayers(),
            s.decoderLayers(),
            s.width(),
            s.heads(),
            s.encoderFeedForward(),
            s.activation().name().toLowerCase(Locale.ROOT)),
        String.format(
            Locale.ROOT,
            "weights: %,d numbers, %s",
            TensorShape.count(s.shapes().values()),
            String.join(" and ", types)),
        "search: " + search(s.search()));
  }

  private static String search(SearchSettings search) {
    return (search.beamSize() == 0 ? "" : "beam of " + search.beamSize() + ", ")
        + "rule "
        + search.rule();
  }

  /** The line about languages. */
  public static String languages(TextSettings text) {
    String pair = "languages: " + text.sourceLanguage() + " to " + text.targetLanguage();
    List<String> all = new ModelLanguages(text.format().languages()).tags();
    return all.isEmpty() ? pair : pair + "; choice of " + String.join(", ", all);
  }

  /**
   * The files of a folder that an import may read, by name.
   *
   * @throws ModelFormatException if the folder cannot be read
   */
  public static List<Path> files(Path folder, Predicate<Path> isRead) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.filter(isRead).filter(Files::isRegularFile).sorted().toList();
    } catch (IOException e) {
      throw new ModelFormatException(folder + " cannot be read: " + FileErrors.reason(e), e);
    }
  }
}
