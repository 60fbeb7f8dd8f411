r"""How subjects choose among actions, given their values.

$$p(a) = (1 - \epsilon)\,\frac{e^{z(a)}}{\sum_c e^{z(c)}} + \frac{\epsilon}{n}, \qquad
  z(a) = \beta V(a) + \kappa\, 1_{a = a'} + b_{turn(a', a)},$$

over the n available actions, with inverse temperature β, lapse ε, perseverance κ for the action a'
taken before, and a bias b for each kind of turn. Each part can be left out.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from first_occupancy.behaviour.parameters import Parameter, Values
from first_occupancy.behaviour.subjects import NO_ACTION, Layouts
from first_occupancy.core.axes import Index

INVERSE_TEMPERATURE = Parameter("inverse_temperature", 0.0, float("inf"), 5.0, 1.0)
LAPSE = Parameter("lapse", 0.0, 1.0, 0.05, 1.0)
PERSEVERANCE = Parameter("perseverance", -float("inf"), float("inf"), 0.5, 1.0)


class Softmax(eqx.Module):
    """Softmax over the values of the available actions.

    Attributes:
        inverse_temperature: β; None to fit it.
        lapse: whether to fit a lapse rate.
        perseverance: whether to fit a tendency to repeat the last action.
        turns: number of kinds of turns for which to fit a bias. The first kind has bias 0, since
            only differences matter; 0 and 1 mean no biases.
    """

    inverse_temperature: float | None = None
    lapse: bool = eqx.field(static=True, default=False)
    perseverance: bool = eqx.field(static=True, default=False)
    turns: int = eqx.field(static=True, default=0)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that are fitted."""
        found = [INVERSE_TEMPERATURE] if self.inverse_temperature is None else []
        found += [LAPSE] if self.lapse else []
        found += [PERSEVERANCE] if self.perseverance else []
        bounds = -float("inf"), float("inf")
        found += [Parameter(f"turn_{kind}", *bounds, -0.5) for kind in range(1, self.turns)]
        return tuple(found)

    @property
    def remembers(self) -> bool:
        """Whether choices depend on the action before."""
        return self.perseverance or self.turns > 1

    def log_probabilities(
        self,
        values: Values,
        options: Float[Array, " A"],
        allowed: Bool[Array, " A"],
        previous: Index,
        layouts: Layouts,
    ) -> Float[Array, " A"]:
        """Return the log probability of each action; minus infinity if it is not available.

        Args:
            previous: action before; `NO_ACTION` at the beginning of a trial.
        """
        fixed = self.inverse_temperature
        scale = values["inverse_temperature"] if fixed is None else fixed
        logits = scale * options + self._biases(values, previous, layouts)
        # Masks instead of infinities keep derivatives finite.
        logs = logits - jax.nn.logsumexp(logits, where=allowed)
        if self.lapse:
            chances = jnp.exp(jnp.where(allowed, logs, 0.0))
            number = jnp.maximum(allowed.sum(), 1)
            logs = jnp.log((1 - values["lapse"]) * chances + values["lapse"] / number)
        return jnp.where(allowed, logs, -jnp.inf)

    def _biases(self, values: Values, previous: Index, layouts: Layouts) -> Float[Array, " A"]:
        biases = jnp.zeros(layouts.num_actions)
        if self.perseverance:
            same = jnp.arange(layouts.num_actions) == previous
            biases = biases + jnp.where(same, values["perseverance"], 0.0)
        if self.turns > 1:
            kinds = [values[f"turn_{kind}"] for kind in range(1, self.turns)]
            of_kind = jnp.stack([jnp.zeros(()), *map(jnp.asarray, kinds)])
            turn = of_kind[layouts.turns[previous]]
            biases = biases + jnp.where(jnp.asarray(previous) == NO_ACTION, 0.0, turn)
        return biases
