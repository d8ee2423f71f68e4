package io.latimer.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The files of a container.
 *
 * @param root where they are on this machine
 * @param settings those of the image, as the OCI names them
 */
record ImageFiles(Path root, JsonNode settings) {
  List<String> entryPoint() {
    return texts("Entrypoint");
  }

  List<String> environment() {
    return texts("Env");
  }

  String user() {
    return settings.path("User").asText();
  }

  String folder() {
    return settings.path("WorkingDir").asText();
  }

  private List<String> texts(String key) {
    List<String> texts = new ArrayList<>();
    settings.path(key).forEach(text -> texts.add(text.asText()));
    return texts;
  }
}
