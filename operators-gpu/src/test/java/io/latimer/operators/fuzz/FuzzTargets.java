package io.latimer.operators.fuzz;

import java.nio.file.Path;
import java.util.List;

/** Makes the targets of a fuzz test in its process; needs a constructor without parameters. */
public interface FuzzTargets {
  /**
   * Makes the targets.
   *
   * @param folder empty, for files
   */
  List<FuzzTarget> in(Path folder) throws Exception;
}
