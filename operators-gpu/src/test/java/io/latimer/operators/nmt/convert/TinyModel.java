package io.latimer.operators.nmt.convert;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A complete random GRU model in Amun's names, small enough to be made in every test. */
public final class TinyModel {
  public static final int SOURCE = 5;
  public static final int TARGET = 6;

  /** A transformer with its vocabularies, for files that need only settings. */
  public static final TransformerSettings TRANSFORMER =
      new TransformerSettings(
          TinyModel.SOURCE,
          TinyModel.TARGET,
          8,
          2,
          1,
          2,
          6,
          7,
          Activation.RELU,
          Autoregression.SSRU,
          0,
          Activation.RELU,
          NormPlacement.POST,
          false,
          2,
          false,
          true,
          TransformerVariant.MARIAN);

  static final int E = 3;
  static final int H = 4;

  private final Path folder;
  final Map<String, int[]> shapes = new LinkedHashMap<>();
  final Map<String, float[]> changed = new LinkedHashMap<>();

  public TinyModel(Path folder) {
    this.folder = folder;
    shapes.put("Wemb", new int[] {SOURCE, E});
    shapes.put("Wemb_dec", new int[] {TARGET, E});
    for (String cell : List.of("encoder", "encoder_r", "decoder")) {
      shapes.put(cell + "_W", new int[] {E, 2 * H});
      shapes.put(cell + "_b", new int[] {1, 2 * H});
      shapes.put(cell + "_U", new int[] {H, 2 * H});
      shapes.put(cell + "_Wx", new int[] {E, H});
      shapes.put(cell + "_bx", new int[] {1, H});
      shapes.put(cell + "_Ux", new int[] {H, H});
    }
    shapes.put("decoder_Wc", new int[] {2 * H, 2 * H});
    shapes.put("decoder_b_nl", new int[] {1, 2 * H});
    shapes.put("decoder_U_nl", new int[] {H, 2 * H});
    shapes.put("decoder_Wcx", new int[] {2 * H, H});
    shapes.put("decoder_bx_nl", new int[] {1, H});
    shapes.put("decoder_Ux_nl", new int[] {H, H});
    shapes.put("decoder_W_comb_att", new int[] {H, 2 * H});
    shapes.put("decoder_Wc_att", new int[] {2 * H, 2 * H});
    shapes.put("decoder_b_att", new int[] {1, 2 * H});
    shapes.put("decoder_U_att", new int[] {2 * H, 1});
    shapes.put("ff_state_W", new int[] {2 * H, H});
    shapes.put("ff_state_b", new int[] {1, H});
    shapes.put("ff_logit_lstm_W", new int[] {H, E});
    shapes.put("ff_logit_lstm_b", new int[] {1, E});
    shapes.put("ff_logit_prev_W", new int[] {E, E});
    shapes.put("ff_logit_prev_b", new int[] {1, E});
    shapes.put("ff_logit_ctx_W", new int[] {2 * H, E});
    shapes.put("ff_logit_ctx_b", new int[] {1, E});
    shapes.put("ff_logit_W", new int[] {E, TARGET});
    shapes.put("ff_logit_b", new int[] {1, TARGET});
  }

  Path weights() {
    Random random = new Random(11);
    Npz npz = new Npz();
    shapes.forEach(
        (name, shape) -> {
          float[] values = new float[shape[0] * shape[1]];
          for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
          }
          npz.floats(
              name, "(" + shape[0] + ", " + shape[1] + ")", changed.getOrDefault(name, values));
        });
    return write("model.npz", npz.bytes());
  }

  Path vocabulary(String name, int size) {
    StringBuilder lines = new StringBuilder("</s>\n<unk>\n");
    for (int i = 2; i < size; i++) {
      lines.append(name.charAt(0)).append(i).append('\n');
    }
    return write(name, lines.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  public ImportRequest request() {
    return ImportRequest.to(folder.resolve("model.lmx"))
        .weights(weights())
        .vocabularies(vocabulary("source.txt", SOURCE), vocabulary("target.txt", TARGET));
  }

  /** Imports, and opens what was made. */
  public IndexFile file() {
    return IndexFile.open(ModelImporter.importModel(request()).file());
  }

  public Path write(String name, byte[] bytes) {
    try {
      return Files.write(folder.resolve(name), bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
