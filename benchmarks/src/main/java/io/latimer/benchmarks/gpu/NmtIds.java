package io.latimer.benchmarks.gpu;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.cpu.DecodeCpu;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.gpu.DecodeGpu;
import io.latimer.operators.nmt.gpu.DecodeTuning;
import io.latimer.operators.nmt.gpu.GpuWeights;
import io.latimer.operators.nmt.model.TranslationModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The data that a peer of {@link NmtBench} needs to translate the same sentences and compare the
 * output. Writes one line per sentence with fields separated by tabs: the words between spaces,
 * source ids, then target ids: of greedy search and of beam 5 in float16, and of both in float32.
 * (The CPU supports float32 only.) Arguments: MODEL.lmx TEXT DEVICE OUT.tsv.
 */
public final class NmtIds {
  private NmtIds() {}

  /** Translates, and writes the ids. */
  public static void main(String[] args) throws IOException {
    if (args.length != 4) {
      System.err.println("usage: NmtIds MODEL.lmx TEXT DEVICE OUT.tsv");
      System.exit(2);
    }
    Device device = Device.parse(args[2]);
    List<String> lines =
        Files.readAllLines(Path.of(args[1])).stream().filter(line -> !line.isBlank()).toList();
    try (IndexFile index = IndexFile.open(Path.of(args[0]));
        TranslationModel model = TranslationModel.open(index)) {
      List<int[]> sources =
          lines.stream().map(line -> model.pipeline().prepare(line, false).get(0).ids()).toList();
      List<List<String>> targets = new ArrayList<>();
      for (NmtPrecision precision : List.of(NmtPrecision.FLOAT16, NmtPrecision.FLOAT32)) {
        for (DecodeOptions options :
            List.of(DecodeOptions.greedy().withScores(false), DecodeOptions.beam(5))) {
          targets.add(decode(model, device, precision, options, sources));
        }
      }
      List<String> out = new ArrayList<>();
      for (int i = 0; i < lines.size(); i++) {
        List<String> fields = new ArrayList<>();
        fields.add(String.valueOf(lines.get(i).trim().split("\\s+").length));
        fields.add(text(sources.get(i)));
        for (List<String> target : targets) {
          fields.add(target.get(i));
        }
        out.add(String.join("\t", fields));
      }
      Files.write(Path.of(args[3]), out);
    }
  }

  private static List<String> decode(
      TranslationModel model,
      Device device,
      NmtPrecision precision,
      DecodeOptions options,
      List<int[]> sources) {
    if (device.kind() != Device.Kind.GPU) {
      try (Decode decode = new DecodeCpu(model.network(), options)) {
        return best(decode.decode(sources));
      }
    }
    try (GpuWeights resident = new GpuWeights(model.network(), device, precision);
        Decode decode = new DecodeGpu(resident, options, DecodeTuning.DEFAULT)) {
      return best(decode.decode(sources));
    }
  }

  private static List<String> best(List<Result<Decoded>> results) {
    return results.stream().map(result -> text(result.orElseThrow().best().ids())).toList();
  }

  private static String text(int[] ids) {
    return Arrays.stream(ids).mapToObj(String::valueOf).collect(Collectors.joining(" "));
  }
}
