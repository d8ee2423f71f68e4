package io.latimer.pipelines.beam;

import io.latimer.pipelines.sink.Format;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.RecordJson;
import io.latimer.schemas.Translation;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TypeDescriptor;
import org.apache.beam.sdk.values.TypeDescriptors;

/** Formats the results of stages. */
public final class Results {
  private Results() {}

  /** The translations of records that stages have processed. */
  public static PTransform<PCollection<? extends Envelope>, PCollection<Translation>>
      translations() {
    return MapElements.into(TypeDescriptor.of(Translation.class))
        .via((Envelope record) -> record.getTranslation());
  }

  /** The translated texts of records, each on one line. */
  public static PTransform<PCollection<? extends Envelope>, PCollection<String>> texts() {
    return lines(Format.TEXT);
  }

  /** Dead letters as JSON, each on one line. */
  public static PTransform<PCollection<? extends DeadLetter>, PCollection<String>> letters() {
    return MapElements.into(TypeDescriptors.strings())
        .via((DeadLetter letter) -> RecordJson.of(letter));
  }

  /** The records as JSON or text, each on one line. */
  static PTransform<PCollection<? extends Envelope>, PCollection<String>> lines(Format format) {
    return MapElements.into(TypeDescriptors.strings())
        .via((Envelope record) -> line(record, format));
  }

  /** Formats a record as JSON or text on one line: its translation, or else the sentence. */
  static String line(Envelope record, Format format) {
    Translation translation = record.getTranslation();
    if (format == Format.JSON) {
      return RecordJson.of(translation == null ? record.getSentence() : translation);
    }
    return oneLine(translation == null ? record.getSentence().getText() : translation.getText());
  }

  /** Replaces control characters and line ends with spaces, as {@code latimer translate} does. */
  private static String oneLine(String text) {
    StringBuilder line = new StringBuilder(text.length());
    text.codePoints()
        .map(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029 ? ' ' : c)
        .forEach(line::appendCodePoint);
    return line.toString();
  }
}
