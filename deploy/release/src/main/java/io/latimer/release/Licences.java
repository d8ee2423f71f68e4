package io.latimer.release;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The licences of what a product bundles. Each component needs one allowed licence, each native
 * file an entry in the policy, and each licence its text: from the jar, or from {@code
 * licenses/texts} with the copyright line of the policy.
 */
final class Licences {
  /** The licence whose text names no copyright holder that a copy must repeat. */
  private static final String SAME_FOR_ALL = "Apache-2.0";

  /** What was found of a component. */
  private record Checked(
      Component component,
      String licence,
      Policy.Entry entry,
      List<Policy.Native> natives,
      JarContent jar) {}

  private final Policy policy;
  private final Path texts;
  private final Set<String> used = new HashSet<>();
  private final Set<String> usedLicences = new HashSet<>();
  private final Map<Component, JarContent> contents = new LinkedHashMap<>();

  /**
   * @param texts the folder with the texts of licences, as {@code SPDX-ID.txt}
   */
  Licences(Policy policy, Path texts) {
    this.policy = policy;
    this.texts = texts;
  }

  /**
   * Checks the components of a product and writes {@code THIRD-PARTY.md} and {@code licenses/} into
   * a folder.
   *
   * @param jars the jar of each component that is looked into
   * @throws ReleaseException if a licence is not allowed, unknown or without its text
   */
  void write(String product, Map<Component, Path> jars, Path folder) throws IOException {
    List<String> problems = new ArrayList<>();
    List<Checked> checked = new ArrayList<>();
    for (Map.Entry<Component, Path> one : jars.entrySet()) {
      JarContent content = contents.get(one.getKey());
      if (content == null) {
        content = JarContent.of(one.getValue());
        contents.put(one.getKey(), content);
      }
      checked.add(check(one.getKey(), content, problems));
    }
    ReleaseException.throwIfAny("licences of " + product + " (licenses/policy.yaml)", problems);
    StringBuilder page = new StringBuilder(introduction(product));
    Set<String> referred = new TreeSet<>();
    for (Checked one : checked) {
      page.append(describe(one, referred));
      write(one, folder.resolve("licenses"));
    }
    for (String licence : referred) {
      Path text = Files.createDirectories(folder.resolve("licenses")).resolve(file(licence));
      Files.copy(texts.resolve(file(licence)), text);
    }
    Files.writeString(folder.resolve("THIRD-PARTY.md"), page);
  }

  /**
   * Checks that the policy knows nothing that no product has.
   *
   * @throws ReleaseException if it does
   */
  void requireAllUsed() {
    List<String> problems = new ArrayList<>();
    for (String licence : policy.allowed()) {
      if (!usedLicences.contains(licence)) {
        problems.add(licence);
      }
    }
    for (String id : policy.known()) {
      if (!used.contains(id)) {
        problems.add(id);
      }
      for (Policy.Native known : policy.natives(id)) {
        if (!used.contains(id + ", " + known.name())) {
          problems.add(id + ", " + known.name());
        }
      }
    }
    ReleaseException.throwIfAny(
        "licenses/policy.yaml knows what is bundled no longer; remove it", problems);
  }

  private Checked check(Component component, JarContent jar, List<String> problems) {
    Policy.Entry entry = policy.of(component);
    String licence = entry.text().licence();
    if (licence.isEmpty()) {
      licence = component.declared().size() == 1 ? component.declared().get(0) : "";
      if (licence.isEmpty()) {
        problems.add(component.id() + " declares " + names(component) + "; add which one applies");
      }
    } else if (!entry.declared().equals(component.declared())) {
      problems.add(
          "%s declares %s, and the policy knows it as %s; look at its licence again"
              .formatted(component.id(), names(component), entry.declared()));
    }
    if (!licence.isEmpty()) {
      requireText(
          component.id(), new Policy.Text(licence, entry.text().copyright()), jar, problems);
    }
    List<String> natives = jar.natives().stream().filter(file -> !entry.removes(file)).toList();
    List<Policy.Native> contained = new ArrayList<>();
    for (Policy.Native known : entry.natives()) {
      if (natives.stream().anyMatch(known::covers)) {
        contained.add(known);
        requireText(component.id() + ", " + known.name(), known.text(), null, problems);
      }
    }
    List<String> unknown =
        natives.stream()
            .filter(file -> contained.stream().noneMatch(known -> known.covers(file)))
            .toList();
    if (!unknown.isEmpty()) {
      problems.add(
          "%s has native code that the policy does not know: %s%s"
              .formatted(
                  component.id(),
                  String.join(", ", unknown.subList(0, Math.min(3, unknown.size()))),
                  unknown.size() > 3 ? " and " + (unknown.size() - 3) + " more" : ""));
    }
    used.add(component.id());
    contained.forEach(known -> used.add(component.id() + ", " + known.name()));
    return new Checked(component, licence, entry, contained, jar);
  }

  private void requireText(String what, Policy.Text text, JarContent jar, List<String> problems) {
    usedLicences.add(text.licence());
    if (!policy.allows(text.licence())) {
      problems.add(what + " has the licence " + text.licence() + ", which is not allowed");
    } else if (jar == null || !jar.hasLicence()) {
      if (!Files.isRegularFile(texts.resolve(file(text.licence())))) {
        problems.add(what + ": there is no text of " + text.licence() + " in " + texts);
      }
      if (text.copyright().isEmpty() && !text.licence().equals(SAME_FOR_ALL)) {
        problems.add(what + " has no licence file; add its copyright line to the policy");
      }
    }
  }

  private static String names(Component component) {
    return component.declared().isEmpty() ? "no licence" : String.join(", ", component.declared());
  }

  private static String file(String licence) {
    return licence.replace(" ", "-") + ".txt";
  }

  private static String introduction(String product) {
    return """
    # What %s contains from others

    Each component has its own licence. Where a component comes with licence and notice files, they are in the folder
    named after it; else the text is the named file in `licenses/`, with the copyright given here.

    """
        .formatted(product);
  }

  /** A component's lines on the page; adds the texts that they refer to. */
  private static String describe(Checked one, Set<String> referred) {
    StringBuilder lines = new StringBuilder();
    Component component = one.component();
    if (component.isOurs()) {
      lines.append("- **").append(component.fullName()).append("**, part of Latimer");
    } else {
      lines.append(
          "- **%s** (`%s`): %s".formatted(component.fullName(), component.group(), one.licence()));
    }
    if (!one.jar().texts().isEmpty()) {
      lines.append(", `licenses/").append(component.fullName()).append("/`");
    }
    if (!one.jar().hasLicence() && !component.isOurs()) {
      lines.append(
          reference(new Policy.Text(one.licence(), one.entry().text().copyright()), referred));
    }
    lines.append('\n');
    for (Policy.Native part : one.natives()) {
      lines.append("  - contains %s: %s".formatted(part.name(), part.text().licence()));
      lines.append(reference(part.text(), referred)).append('\n');
    }
    return lines.toString();
  }

  private static String reference(Policy.Text text, Set<String> referred) {
    referred.add(text.licence());
    String copyright = text.copyright().replaceAll("\\s*\\R\\s*", " ");
    return ", `licenses/%s`%s"
        .formatted(file(text.licence()), copyright.isEmpty() ? "" : ". " + copyright);
  }

  private static void write(Checked one, Path licenses) throws IOException {
    for (Map.Entry<String, byte[]> text : one.jar().texts().entrySet()) {
      Path file = licenses.resolve(one.component().fullName()).resolve(text.getKey());
      Files.createDirectories(file.getParent());
      Files.write(file, normalized(text.getValue()));
    }
  }

  /** Text with the line ends of this archive; anything else as it is. */
  private static byte[] normalized(byte[] text) {
    String utf8 = new String(text, StandardCharsets.UTF_8);
    return utf8.indexOf('\ufffd') >= 0
        ? text
        : utf8.replace("\r\n", "\n").getBytes(StandardCharsets.UTF_8);
  }
}
