package io.latimer.operators.nmt.convert;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.nmt.model.Float16;
import io.latimer.operators.nmt.model.ModelSections;
import io.latimer.operators.nmt.model.ModelSettings;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.nmt.model.TensorShape;
import io.latimer.operators.nmt.model.TensorSource;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.text.TextPipeline;
import io.latimer.operators.text.TextSettings;
import io.latimer.operators.text.Vocabulary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Writes model files, {@code .lmx}. Tensors are stored in canonical form, as 16-bit floats if all
 * their numbers are exact in 16 bits, so that nothing is lost. They are read twice and written in
 * pieces; no more than one of them is in memory at a time.
 */
public final class ModelFileWriter {
  private final TensorSource network;
  private final Vocabulary source;
  private final Vocabulary target;
  private final TextSettings text;
  private final byte[] sourceSegmentation;
  private final byte[] targetSegmentation;
  private Optional<byte[]> truecase = Optional.empty();
  private Optional<ShortlistReport> shortlist = Optional.empty();

  /**
   * A model to write.
   *
   * @param sourceSegmentation bytes of the codes or the SentencePiece model; empty for none
   * @param targetSegmentation the same for the output
   */
  public ModelFileWriter(
      TensorSource network,
      Vocabulary source,
      Vocabulary target,
      TextSettings text,
      byte[] sourceSegmentation,
      byte[] targetSegmentation) {
    this.network = network;
    this.source = source;
    this.target = target;
    this.text = text;
    this.sourceSegmentation = sourceSegmentation;
    this.targetSegmentation =
        Arrays.equals(sourceSegmentation, targetSegmentation) ? new byte[0] : targetSegmentation;
  }

  ModelFileWriter truecase(Optional<byte[]> model) {
    truecase = model;
    return this;
  }

  ModelFileWriter shortlist(Optional<ShortlistReport> made) {
    shortlist = made;
    return this;
  }

  /**
   * Writes the file.
   *
   * @param out appears there only when it is complete
   * @param version of the model; may be empty
   * @param warnings for the report
   */
  public ImportReport write(Path out, String version, List<String> warnings) {
    // Built once now, so that a damaged segmentation or truecase model fails the import, not a job
    TextPipeline.of(text, source, target, sourceSegmentation, targetSegmentation, truecase).close();
    long weights = 0;
    Map<String, ModelSettings.Stored> stored = new LinkedHashMap<>();
    for (Map.Entry<String, TensorShape> entry : network.settings().shapes().entrySet()) {
      String name = entry.getKey();
      TensorShape shape = entry.getValue();
      ModelSettings.Stored smallest =
          new ModelSettings.Stored(ModelSettings.NumberType.FLOAT16, shape.rows(), shape.cols());
      smallest.requireStorable(out.toString(), name);
      Tensor tensor = network.tensor(name);
      ModelSettings.Stored as = isExact(tensor) ? smallest : smallest.widened();
      as.requireStorable(out.toString(), name);
      stored.put(name, as);
      weights += tensor.count();
    }
    ModelSettings settings = ModelSettings.of(network.settings(), stored);
    int sections = ModelSections.version(network.settings(), text);
    try (IndexFileWriter writer =
        IndexFileWriter.create(out, TranslationModel.KIND.written(sections), version)) {
      writer.add(ModelSections.SETTINGS, settings.toJson(sections));
      writer.add(ModelSections.TEXT, text.toJson(ModelSections.haveFormat(sections)));
      writer.add(ModelSections.SOURCE_VOCABULARY, source.toBytes());
      writer.add(ModelSections.TARGET_VOCABULARY, target.toBytes());
      writer.add(ModelSections.SOURCE_SEGMENTATION, sourceSegmentation);
      writer.add(ModelSections.TARGET_SEGMENTATION, targetSegmentation);
      truecase.ifPresent(bytes -> writer.add(ModelSections.TRUECASE, bytes));
      shortlist.ifPresent(made -> writer.add(ModelSections.SHORTLIST, made.shortlist().toBytes()));
      stored.forEach(
          (name, as) ->
              writer.add(
                  ModelSections.TENSOR + name,
                  section -> write(network.tensor(name), as.type(), section)));
      writer.commit();
    }
    try (IndexFile file = IndexFile.open(out)) {
      return new ImportReport(
          out, file.length(), file.contentId(), network.settings(), weights, shortlist, warnings);
    }
  }

  private static boolean isExact(Tensor tensor) {
    boolean[] exact = {true};
    tensor.forEachPiece(
        (from, values, count) -> {
          for (int i = 0; exact[0] && i < count; i++) {
            exact[0] = Float16.isExact(values[i]);
          }
        });
    return exact[0];
  }

  private static void write(
      Tensor tensor, ModelSettings.NumberType type, Consumer<ByteBuffer> section) {
    tensor.forEachPiece(
        (from, values, count) -> {
          ByteBuffer bytes =
              ByteBuffer.allocate(count * type.width()).order(ByteOrder.LITTLE_ENDIAN);
          for (int i = 0; i < count; i++) {
            switch (type) {
              case FLOAT16 -> bytes.putShort(Float16.ofExact(values[i]));
              case FLOAT32 -> bytes.putFloat(values[i]);
            }
          }
          section.accept(bytes.flip());
        });
  }
}
