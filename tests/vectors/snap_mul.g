# Noise lemma of snap_mul: 2 inexact roundings, p = 53.
# L is ln U, l what the machine makes of it; n is the computed noise, N the noise over the reals.
@rnd = float<53, -16000, ne>;
l = rnd(L);
n = rnd(l * 7505999378950827b-51);
N = (L * 7505999378950827b-51);
{ L in [-1048576, -1b-53] -> |n -/ N| <= 562949953421313b-101 }
