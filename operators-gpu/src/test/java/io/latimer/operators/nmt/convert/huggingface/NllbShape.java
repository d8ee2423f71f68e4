package io.latimer.operators.nmt.convert.huggingface;

import io.latimer.operators.device.Device;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.LoadedTranslator;
import io.latimer.operators.nmt.convert.IdOrder;
import io.latimer.operators.nmt.convert.JsonSettings;
import io.latimer.operators.nmt.convert.ModelFileWriter;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.model.SearchSettings;
import io.latimer.operators.text.TextSettings;
import io.latimer.operators.text.Vocabulary;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Makes a model of the shape of NLLB with random weights, imports it and decodes with it. Prints
 * one JSON object per phase: seconds, and in bytes the sum of the peaks of the heap's pools (at
 * least the heap's peak), what the process has resident, with and without mapped files, and what is
 * free on the device.
 *
 * <p>Arguments: a folder, where the model stays for another run, the device, the number of
 * sentences and, for another size, layers of each side, width, width of the feed-forward networks
 * and heads. Without them it is the 1.3 B shape: 24, 1024, 8192 and 16.
 */
public final class NllbShape {
  static final int WORDS = 256_206;

  private static final int END = 2;
  private static final int UNKNOWN = 3;
  private static final int PAD = 1;
  private static final int LENGTH = 25;

  private final Path folder;
  private final Device device;
  private final int sentences;
  private final int layers;
  private final int width;
  private final int inner;
  private final int heads;

  private NllbShape(String[] args) {
    boolean whole = args.length == 3;
    this.folder = Path.of(args[0]);
    this.device = Device.parse(args[1]);
    this.sentences = Integer.parseInt(args[2]);
    this.layers = whole ? 24 : Integer.parseInt(args[3]);
    this.width = whole ? 1024 : Integer.parseInt(args[4]);
    this.inner = whole ? 8192 : Integer.parseInt(args[5]);
    this.heads = whole ? 16 : Integer.parseInt(args[6]);
  }

  /** Runs all phases; those whose files are there are left out. */
  public static void main(String[] args) throws IOException {
    if (args.length != 3 && args.length != 7) {
      System.err.println(
          "usage: NllbShape FOLDER DEVICE SENTENCES [LAYERS WIDTH FEED-FORWARD HEADS]");
      System.exit(2);
    }
    new NllbShape(args).run();
  }

  private void run() throws IOException {
    Path model = folder.resolve("nllb.lmx");
    if (!Files.exists(model)) {
      Files.createDirectories(folder);
      write();
      phase("import", () -> importTo(model));
    }
    try (IndexFile file = IndexFile.open(model)) {
      NmtPrecision precision =
          device.kind() == Device.Kind.GPU ? NmtPrecision.FLOAT16 : NmtPrecision.FLOAT32;
      try (LoadedTranslator loaded =
          phase("load", () -> LoadedTranslator.load(file, device, precision))) {
        for (int beam : new int[] {1, 5}) {
          try (Decode decode = loaded.decoder(DecodeOptions.beam(beam).withMaxLengthFactor(1))) {
            phase("warm-up, beam " + beam, () -> decoded(decode, Math.min(sentences, 8)));
            long started = System.nanoTime();
            long words = phase("beam " + beam, () -> decoded(decode, sentences));
            double seconds = (System.nanoTime() - started) / 1e9;
            System.out.printf(
                Locale.ROOT,
                "{\"beam\": %d, \"sentences\": %d, \"source_words_per_s\": %.1f,"
                    + " \"target_words_per_s\": %.1f}%n",
                beam,
                sentences,
                (double) sentences * LENGTH / seconds,
                words / seconds);
          }
        }
      }
    }
  }

  private void write() throws IOException {
    Files.writeString(
        folder.resolve("config.json"),
        """
        {"model_type": "m2m_100", "vocab_size": %d, "d_model": %d, "encoder_layers": %d,
         "decoder_layers": %d, "encoder_attention_heads": %d, "decoder_attention_heads": %d,
         "encoder_ffn_dim": %d, "decoder_ffn_dim": %d, "activation_function": "relu",
         "scale_embedding": true, "bos_token_id": 0, "pad_token_id": %d, "eos_token_id": %d,
         "decoder_start_token_id": %d}
        """
            .formatted(WORDS, width, layers, layers, heads, heads, inner, inner, PAD, END, END));
    RandomSafetensors weights = new RandomSafetensors().add("model.shared.weight", WORDS, width);
    for (String side : List.of("encoder", "decoder")) {
      for (int i = 0; i < layers; i++) {
        weights.layer("model." + side + ".layers." + i, side.equals("decoder"), width, inner);
      }
      weights.norm("model." + side + ".layer_norm", width);
    }
    weights.write(folder.resolve("model.safetensors"));
  }

  /** Not by way of the folder's tokenizer, which random weights do not need. */
  private long importTo(Path out) {
    JsonSettings config = JsonSettings.read(folder.resolve("config.json"));
    IdOrder order = IdOrder.of(WORDS, END, UNKNOWN);
    Vocabulary vocabulary =
        Vocabulary.of(
            IntStream.range(0, WORDS)
                .mapToObj(i -> i == 0 ? "</s>" : i == 1 ? "<unk>" : "w" + i)
                .toList());
    TextSettings text = TextSettings.prepared("en", "de", TextSettings.Segmentation.NONE);
    try (HuggingFaceWeights weights = HuggingFaceWeights.open(folder)) {
      return new ModelFileWriter(
              BartConverter.convert(
                  weights, config, Family.of(config), order, SearchSettings.MARIAN, List.of(PAD)),
              vocabulary,
              vocabulary,
              text,
              new byte[0],
              new byte[0])
          .write(out, "", List.of())
          .weights();
    }
  }

  /** The number of words that a decoder makes of random sentences. */
  private static long decoded(Decode decode, int sentences) {
    Random random = new Random(4);
    List<int[]> batch = new ArrayList<>();
    for (int i = 0; i < sentences; i++) {
      int[] ids = random.ints(LENGTH, UNKNOWN + 1, WORDS).toArray();
      ids[LENGTH - 1] = Decode.END;
      batch.add(ids);
    }
    long words = 0;
    for (var result : decode.decode(batch)) {
      Decoded decoded = result.orElseThrow();
      words += decoded.best().ids().length;
    }
    return words;
  }

  private <T> T phase(String name, Supplier<T> work) throws IOException {
    List<MemoryPoolMXBean> heap =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .toList();
    heap.forEach(MemoryPoolMXBean::resetPeakUsage);
    long before = free();
    long started = System.nanoTime();
    T result = work.get();
    double seconds = (System.nanoTime() - started) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "{\"phase\": \"%s\", \"s\": %.1f, \"heap_peak\": %d, \"heap_max\": %d, \"resident\": %d,"
            + " \"resident_without_files\": %d, \"device_free_before\": %d,"
            + " \"device_free_after\": %d}%n",
        name,
        seconds,
        heap.stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum(),
        Runtime.getRuntime().maxMemory(),
        resident("VmRSS"),
        resident("RssAnon"),
        before,
        free());
    return result;
  }

  /** Free bytes of the GPU; 0 on the CPU. */
  private long free() {
    return device.kind() == Device.Kind.GPU ? Gpu.open(device).freeMemory() : 0;
  }

  private static long resident(String key) throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith(key + ":"))
        .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("[^0-9]", "")))
        .findFirst()
        .orElse(0);
  }
}
