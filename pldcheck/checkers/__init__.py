"""Checkers of certificates and witness files, in exact or outward rounded arithmetic, by the standard library alone.

A file holds one claim that mechanisms are (epsilon, delta)-DP, with what it takes to prove it, or to prove it false.
This folder is complete: copied anywhere, or as an archive that ``python -m zipapp`` makes of it, it checks any number
of files of all kinds, and imports nothing of pldcheck::

    python -m checkers FILE...             beside the folder
    python PATH/TO/checkers FILE...        from anywhere
    python PATH/TO/checkers.pyz FILE...

**Read first** ``programs``, which finds the program of a file by the kind that the file names, and ``claim_files``,
which reads files and says verdicts.  Each program has the proof that what it accepts is true at its top, as far as it
goes; the modules that it imports have the rest, each at its own top.

Witness files, by the number under ``pldcheck_witness``, show that a claim is false:

1. ``lower_single``: one randomizer in a hidden slot or in shuffled messages;
2. ``lower_composed``: compositions;
3. ``lower_adaptive``: randomizers that depend on earlier outputs;

each with ``counterexamples``, the parts of a witness file that all have.

Certificates, by the name under ``pldcheck_certificate``, show that a claim is true:

* ``upper_slot``: the worst randomizers, or a known one, in a hidden slot, and shuffling by one client fewer:
  ``slot_laws``, ``block_recursion``, ``doubled_laws``, ``client_cost``, ``binomial_masses``;
* ``upper_shuffle``: shuffling by stronger clones: ``binomial_masses``;
* ``upper_swap``: random swapping: ``doubled_laws``;
* ``upper_few``: few clients who answer by binary response;
* ``upper_sum``: a known randomizer in a hidden slot: ``step_curves``, ``noise_steps``, ``step_lattice``,
  ``chosen_steps``;
* ``upper_epochs``: epochs of such slots: ``run_losses`` besides;
* ``upper_loss``: compositions: ``composition_rounds``, ``loss_laws``, ``batch_laws``, ``loss_lattice``;
* ``upper_rounds``: rounds of what ``upper_slot``, ``upper_shuffle`` or ``upper_sum`` verifies at points:
  ``loss_lattice``.

Where these say that a claim is false, ``attained_delta`` has the proof.  Numbers are integers (``fixed_point``) or
decimals that enclose them (``directed_decimals``); ``lattice_sums`` adds measures on a lattice.  What an acceptance
rests on besides are the statements of ``statement_sentences``, which ``pldcheck show STATEMENT`` prints with their
proofs.
"""
