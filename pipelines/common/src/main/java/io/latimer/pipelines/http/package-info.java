/** What all that asks HTTP servers has in common. */
package io.latimer.pipelines.http;
