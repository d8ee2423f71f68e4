package io.latimer.operators.nmt.convert;

import java.nio.file.Path;
import java.util.List;

/** A model as another program publishes it. */
public interface ImportableModel {
  /**
   * Says what was found, one "name: value" a line.
   *
   * @throws io.latimer.operators.nmt.model.ModelFormatException for what an import would refuse,
   *     but damaged weights
   */
  List<String> describe();

  /**
   * Writes a model file.
   *
   * @param out appears only when it is complete
   * @param version of the model; may be empty
   * @throws io.latimer.operators.nmt.model.ModelFormatException if a file is missing, damaged, or
   *     of a kind that cannot be read
   */
  ImportReport importTo(Path out, String version);

  /**
   * The files that an import may read, in an order that does not change.
   *
   * @throws io.latimer.operators.nmt.model.ModelFormatException if they cannot be listed
   */
  List<Path> files();
}
