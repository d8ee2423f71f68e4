package io.latimer.pipelines.flink;

import io.latimer.operators.index.IndexRef;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;

/** A stage with a glossary beside its main index. */
public final class TwoIndexStage extends TestStage {
  private static final long serialVersionUID = 1L;

  private final String glossary;

  /**
   * Makes the stage.
   *
   * @param index SHA-256 of its main index
   * @param glossary SHA-256 of its glossary
   */
  public TwoIndexStage(String name, String index, String glossary) {
    super(name, batch -> {}, index, false);
    this.glossary = glossary;
  }

  @Override
  public Map<String, IndexRef> indexes() {
    Map<String, IndexRef> all = new LinkedHashMap<>(super.indexes());
    all.put(
        name() + ".glossary",
        new IndexRef("glossary", URI.create("file:/models/g.ltx"), glossary, "1"));
    return all;
  }
}
