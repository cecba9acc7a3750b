"""A corpus of certified points, for authors of other accountants: questions with intervals that contain the truth.

A corpus is a text file of JSON lines, format 1.  :mod:`pldcheck.witness.judge_corpus`, which needs the standard library
alone, reads it, checks it, and judges answers.

**The first line** is an object with ``kind`` "corpus", ``format`` 1, ``program`` (the version that wrote it), ``seed``,
``count``, ``protocols`` (the names of those that are there), ``sum`` and ``digest``.  ``sum`` is the BLAKE2b digest, of
16 bytes in hexadecimal, of the digests of all points, one after the other in their order.

**Every other line** is a point: an object with ``kind`` "point" and these keys, whose values are texts.

===============  ====================================================================================================
``id``           its name, ``PROTOCOL/KIND/STRATUM/NUMBER``; with the seed it decides the question at any count
``protocol``     one of the table below
``adjacency``    ``any`` (the data for which sensitivity or eps0 is stated), ``add-remove`` (a record is there or
                 not, the worse direction), ``remove`` (there under the first law alone), ``add`` (under the second
                 alone), or ``replace`` (one record is changed for another)
``parameters``   an object of decimal texts, which are lists of texts for a composition
``quantity``     ``epsilon``, asked at the text ``delta``; or ``delta``, asked at the text ``epsilon``
``lower``        a decimal that is not above the quantity; "inf" where it is infinite
``upper``        a decimal that is not below the quantity; "inf" where nothing bounds it
``witness``      only where there is one: a file beside the corpus, with a mechanism that nearly attains lower
``certificate``  only where there is one: a file beside the corpus that proves a little more than the upper end
``digest``       the BLAKE2b digest, of 16 bytes, of the other keys as JSON in ASCII, sorted and without spaces
===============  ====================================================================================================

A parameter, a delta and an epsilon are the doubles (IEEE 754 binary64) nearest to their texts.  The smallest epsilon at
a delta, and the smallest delta at an epsilon, are what is asked, of all outputs together:

=======================  ==========================================================================================
``gaussian``             ``steps`` releases with Gaussian noise of deviation ``sigma`` over the sensitivity
``laplace``              ``steps`` releases with Laplace noise of scale ``scale`` over the sensitivity
``randomized-response``  ``steps`` binary responses, each true with probability e^eps0 / (1 + e^eps0)
``composition``          Gaussian noise of several deviations: lists ``sigma`` and ``steps``, entry by entry
``subsampled-gaussian``  ``steps`` releases, each on a fresh sample; ``sampling`` "poisson" takes each record with
                         probability ``rate``, and sigma is over the largest norm of one record; "fixed-size" takes a
                         share ``rate`` without replacement, and sigma is over what replacing one record changes
``reused-sample``        ``steps`` such Poisson samples, each of which is used for ``releases`` releases
``random-allocation``    in each of ``epochs`` epochs a record joins one of ``steps`` steps, chosen uniformly; every
                         step is released with Gaussian noise, ``sigma`` over the largest norm of one record
``shuffle``              ``clients`` send one message each through any eps0-DP randomizers, and all messages are seen
                         in random order; ``rounds`` times
=======================  ==========================================================================================

>>> from pldcheck.accounting import corpus
>>> question = corpus.questions(1, seed=0, protocols=["laplace"])[0]
>>> question.id, question.quantity
('laplace/any/plain/0', 'epsilon')
"""

from __future__ import annotations

from .certified_points import CorpusQuestion as CorpusQuestion
from .certified_points import certified_point as certified_point
from .corpus_strata import FAMILIES as FAMILIES
from .corpus_strata import protocol_names as protocol_names
from .corpus_strata import questions as questions
from .corpus_writer import write_corpus as write_corpus
from .peer_answers import peer_answers as peer_answers

__all__ = [
    "CorpusQuestion",
    "FAMILIES",
    "certified_point",
    "peer_answers",
    "protocol_names",
    "questions",
    "write_corpus",
]
