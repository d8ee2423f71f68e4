package io.latimer.release;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads CycloneDX bills of materials, as the build writes them for each module. */
final class Bom {
  private static final Pattern PURL = Pattern.compile("pkg:maven/([^/]+)/([^@]+)@([^?]+)\\?(.*)");
  private static final Pattern CLASSIFIER = Pattern.compile("(?:.*&)?classifier=([^&]+).*");

  private Bom() {}

  /** All components, by group and name. */
  static List<Component> read(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new ReleaseException(
          file + " is missing; build the release without -Dcyclonedx.skip, which writes it");
    }
    List<Component> components = new ArrayList<>();
    for (JsonNode node : new ObjectMapper().readTree(file.toFile()).path("components")) {
      components.add(component(file, node));
    }
    components.sort(
        Comparator.comparing(Component::id)
            .thenComparing(Component::version)
            .thenComparing(Component::classifier));
    return components;
  }

  private static Component component(Path file, JsonNode node) {
    String url = node.path("purl").asText();
    Matcher purl = PURL.matcher(url);
    if (!purl.matches()) {
      throw new ReleaseException(file + " has a component that is no Maven artifact: " + url);
    }
    Matcher classifier = CLASSIFIER.matcher(purl.group(4));
    String sha256 = "";
    for (JsonNode hash : node.path("hashes")) {
      if (hash.path("alg").asText().equals("SHA-256")) {
        sha256 = hash.path("content").asText();
      }
    }
    List<String> declared = new ArrayList<>();
    for (JsonNode choice : node.path("licenses")) {
      JsonNode licence = choice.path("license");
      declared.add(
          choice.has("expression")
              ? choice.path("expression").asText()
              : licence.path("id").asText(licence.path("name").asText()));
    }
    return new Component(
        purl.group(1),
        purl.group(2),
        purl.group(3),
        classifier.matches() ? classifier.group(1) : "",
        sha256,
        List.copyOf(declared));
  }
}
