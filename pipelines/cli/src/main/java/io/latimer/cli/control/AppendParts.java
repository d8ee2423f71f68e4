package io.latimer.cli.control;

import io.latimer.cli.command.CommandException;
import io.latimer.pipelines.record.AppendPart;
import io.latimer.schemas.Correction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The corrections of a file, in parts of a command's size. */
final class AppendParts {
  private final List<AppendPart> parts = new ArrayList<>();

  /**
   * The id of a correction: the same one has the same id, whenever it is sent.
   *
   * @param text the whole of it
   */
  static String id(String text) {
    return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
  }

  /**
   * Adds a correction.
   *
   * @throws io.latimer.operators.RecordException if it cannot be learned
   */
  void add(Correction correction) {
    if (parts.isEmpty() || !parts.get(parts.size() - 1).hasRoomFor(correction)) {
      parts.add(new AppendPart());
    }
    parts.get(parts.size() - 1).add(correction);
  }

  /**
   * The parts, in order.
   *
   * @param problem the message if there are none
   */
  List<List<Correction>> all(String problem) {
    if (parts.isEmpty()) {
      throw new CommandException(problem);
    }
    return parts.stream().map(AppendPart::corrections).toList();
  }
}
